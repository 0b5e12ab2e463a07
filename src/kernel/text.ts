// Text as people search it: ignoring case, accents and repeated spaces.

/** Drops marks above or below letters; letters that cannot be split into letter and mark stay. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .toLowerCase()
}

/** Texts in the form in which they are searched: one line each, without case and accents. */
export function searchable(texts: (string | null)[]): string {
  return texts.flatMap(text => (text === null ? [] : [plain(text)])).join('\n')
}

/** The search text in the same form. It has no line breaks, so it only matches within one line. */
export function searchedFor(wanted: string): string {
  return plain(wanted)
}

/** Whether one of the texts contains the search text, ignoring case and accents as a person would. */
export function containsText(texts: (string | null)[], wanted: string): boolean {
  return searchable(texts).includes(searchedFor(wanted))
}
