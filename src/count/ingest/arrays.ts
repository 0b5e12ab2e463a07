// Columns in PostgreSQL's text form of arrays, because the driver's own encoding costs more than the rest of a batch.

/** For numbers, and for text that needs no quotes (letters and hexadecimal digits). */
export function plainList<T>(items: T[], pick: (item: T) => number | string | null): string {
  let text = '{'
  for (let i = 0; i < items.length; i++) text += `${i === 0 ? '' : ','}${pick(items[i]!) ?? 'NULL'}`
  return `${text}}`
}
