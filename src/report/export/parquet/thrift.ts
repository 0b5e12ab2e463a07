// Thrift's compact protocol, as far as the headers and the footer of a Parquet file need it.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

export type Field =
  | { id: number; bool: boolean }
  | { id: number; i32: number }
  | { id: number; i64: number }
  | { id: number; binary: Buffer | string }
  | { id: number; struct: Field[] }
  | { id: number; i32s: number[] }
  | { id: number; strings: string[] }
  | { id: number; structs: Field[][] }

const TYPE = { true: 1, false: 2, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const
const STOP = 0

export function thriftStruct(fields: Field[]): Buffer {
  const bytes: number[] = []
  writeStruct(bytes, fields)
  return Buffer.from(bytes)
}

/** Writes fields, which must be in the order of their ids. */
function writeStruct(bytes: number[], fields: Field[]): void {
  let last = 0
  for (const field of fields) {
    const delta = field.id - last
    const type = typeOf(field)
    if (delta > 0 && delta <= 15) bytes.push((delta << 4) | type)
    else {
      bytes.push(type)
      writeVarint(bytes, zigzag(field.id))
    }
    last = field.id
    writeValue(bytes, field)
  }
  bytes.push(STOP)
}

function typeOf(field: Field): number {
  if ('bool' in field) return field.bool ? TYPE.true : TYPE.false
  if ('i32' in field) return TYPE.i32
  if ('i64' in field) return TYPE.i64
  if ('binary' in field) return TYPE.binary
  return 'struct' in field ? TYPE.struct : TYPE.list
}

function writeValue(bytes: number[], field: Field): void {
  if ('bool' in field) return
  if ('i32' in field) writeVarint(bytes, zigzag(field.i32))
  else if ('i64' in field) writeVarint(bytes, zigzag(field.i64))
  else if ('binary' in field) writeBinary(bytes, field.binary)
  else if ('struct' in field) writeStruct(bytes, field.struct)
  else if ('i32s' in field) writeList(bytes, TYPE.i32, field.i32s, value => writeVarint(bytes, zigzag(value)))
  else if ('strings' in field)
    writeList(bytes, TYPE.binary, field.strings, value => writeBinary(bytes, value))
  else writeList(bytes, TYPE.struct, field.structs, value => writeStruct(bytes, value))
}

function writeList<T>(bytes: number[], type: number, items: T[], write: (item: T) => void): void {
  if (items.length < 15) bytes.push((items.length << 4) | type)
  else {
    bytes.push(0xf0 | type)
    writeVarint(bytes, items.length)
  }
  for (const item of items) write(item)
}

function writeBinary(bytes: number[], value: Buffer | string): void {
  const content = Buffer.from(value as string)
  writeVarint(bytes, content.length)
  bytes.push(...content)
}

/** Every number here is below 2^52, so that doubling it is exact. */
function zigzag(value: number): number {
  return value >= 0 ? value * 2 : -value * 2 - 1
}

export function writeVarint(bytes: number[], value: number): void {
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) | 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}
