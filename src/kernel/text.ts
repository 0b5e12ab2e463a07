// Text as people search for it: without case, accents and runs of spaces.

/** Marks that stand above or below a letter are dropped; what has no such form stays. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .toLowerCase()
}

/** Whether one of the texts holds the other, as a person would say. */
export function holdsText(texts: (string | null)[], wanted: string): boolean {
  const needle = plain(wanted)
  return texts.some(text => text !== null && plain(text).includes(needle))
}
