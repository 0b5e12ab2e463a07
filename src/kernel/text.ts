// Text as people search for it: without case, accents and runs of spaces.

/** Marks above or below a letter are dropped; letters without such a form stay. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .toLowerCase()
}

/** Whether one of the texts contains the search text, ignoring case and accents as a person would. */
export function holdsText(texts: (string | null)[], wanted: string): boolean {
  const needle = plain(wanted)
  return texts.some(text => text !== null && plain(text).includes(needle))
}
