// Reads fields of a foreign JSON document: a value of the wrong type counts as missing, and never throws.

export type Fields = Record<string, unknown>

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

export function textOf(value: unknown, mostChars: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= mostChars ? value : null
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

export function listOf(value: unknown): unknown[] | null {
  return Array.isArray(value) && value.length > 0 ? value : null
}

/** Reads 0/1 fields. Most of them protect people, so careless spellings count, too. */
export function isSet(value: unknown): boolean {
  return value === 1 || value === true || value === '1'
}

/** Whether `wanted` is among the first `most` entries. */
export function lists(value: unknown, wanted: unknown, most: number): boolean {
  if (!Array.isArray(value)) return false
  const end = Math.min(value.length, most)
  for (let n = 0; n < end; n++) if (value[n] === wanted) return true
  return false
}

/** Whether a list of blocks contains `ours`. A list that is too long to read completely might contain it. */
export function mayList(value: unknown, ours: unknown, most: number): boolean {
  return (Array.isArray(value) && value.length > most) || lists(value, ours, most)
}
