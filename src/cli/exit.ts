// How a command ends: with a refusal, or an exit code of its own.

export class ExitWith extends Error {
  readonly code: number
  constructor(code: number) {
    super(`exit code ${code}`)
    this.code = code
  }
}

/** What a command refuses to do, and why. */
export class Refused extends Error {}
