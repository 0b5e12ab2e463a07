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

/** Texts as they are searched: each a line, without case and accents. */
export function searchable(texts: (string | null)[]): string {
  return texts.flatMap(text => (text === null ? [] : [plain(text)])).join('\n')
}

/** What to look for in there. It is in a line or nowhere, since it has no line breaks. */
export function searchedFor(wanted: string): string {
  return plain(wanted)
}

/** Whether one of the texts contains the search text, ignoring case and accents as a person would. */
export function containsText(texts: (string | null)[], wanted: string): boolean {
  return searchable(texts).includes(searchedFor(wanted))
}
