// How a command ends: with a refusal, or with its own exit code.

export class ExitWith extends Error {
  readonly code: number
  constructor(code: number) {
    super(`exit code ${code}`)
    this.code = code
  }
}

/** A command refuses to do something; the message says why. */
export class Refused extends Error {}

/** An option or argument that is wrong whatever the database contains. */
export class WrongUsage extends Error {}
