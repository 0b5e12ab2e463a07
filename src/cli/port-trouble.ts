// Why the service cannot listen at its HOST and PORT, in words, and how to fix that.

export interface PortTrouble {
  setting: 'HOST' | 'port'
  text: string
  fix: string
}

/** Null for any other error. */
export function portTrouble(
  code: unknown,
  { HOST, PORT }: { HOST: string; PORT: number },
): PortTrouble | null {
  const where = `${HOST}:${PORT}`
  switch (code) {
    case 'EADDRINUSE':
      return {
        setting: 'port',
        text: `Another program is listening at ${where}.`,
        fix: 'Stop it, or set another PORT.',
      }
    case 'EACCES':
      return {
        setting: 'port',
        text: `This user may not listen at ${where}.`,
        fix: 'Set PORT to 1024 or above.',
      }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return {
        setting: 'HOST',
        text: `${HOST} is not an address of this machine.`,
        fix: 'Set HOST to 0.0.0.0, or to one of its addresses.',
      }
    default:
      return null
  }
}
