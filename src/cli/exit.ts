// How a command ends with an exit code of its own.

export class ExitWith extends Error {
  readonly code: number
  constructor(code: number) {
    super(`exit code ${code}`)
    this.code = code
  }
}
