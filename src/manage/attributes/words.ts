// The words of attributes: one form for what is declared, targeted and requested, and no personal data. Pure.

/** Case, width and spaces make no difference. */
export function foldWord(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()
}

const EMAIL = /[^\s@]@[^\s@]+\.[a-z]/i
const DIALLED = /^[+(]?[\d\s().\-/]+$/
const OPENS = /^[+(0]/
/** A telephone number that shows that it is one has so many digits at least; a bare one, so many. */
const LEAST_DIGITS = 7
const LEAST_BARE_DIGITS = 9

/** Whether it looks like an address of mail or a telephone number. Rather one too many than one too few. */
export function looksPersonal(text: string): boolean {
  if (EMAIL.test(text)) return true
  if (!DIALLED.test(text)) return false
  const digits = text.replace(/\D/g, '').length
  return digits >= (OPENS.test(text) ? LEAST_DIGITS : LEAST_BARE_DIGITS)
}
