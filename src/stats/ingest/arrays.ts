// Columns as PostgreSQL's text form of arrays. The driver's own way costs more than all the rest of a batch.

/** Numbers, and text that needs no quotes (hex). */
export function plainList<T>(items: T[], pick: (item: T) => number | string | null): string {
  let text = '{'
  for (let i = 0; i < items.length; i++) text += `${i === 0 ? '' : ','}${pick(items[i]!) ?? 'NULL'}`
  return `${text}}`
}

export function textList<T>(items: T[], pick: (item: T) => string | null): string {
  let text = '{'
  for (let i = 0; i < items.length; i++) {
    const word = pick(items[i]!)
    text += `${i === 0 ? '' : ','}${word === null ? 'NULL' : quoted(word)}`
  }
  return `${text}}`
}

function quoted(text: string): string {
  return /["\\]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`
}
