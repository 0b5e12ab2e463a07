// Ids are positive integers from one database sequence, so an id never means two things. parseId reads them strictly:
// text that Number() would coerce ("0x10", " ", "1e3") is not an id.

const ID = /^[1-9][0-9]{0,15}$/

export function parseId(text: string): number | null {
  if (!ID.test(text)) return null
  const id = Number(text)
  return id <= Number.MAX_SAFE_INTEGER ? id : null
}
