// One column of a row group while it is being filled: values in Parquet's plain encoding, cut into pages that are
// compressed as soon as they are full. https://parquet.apache.org/docs/file-format/data-pages/

import { type Field, thriftStruct, writeVarint } from './thrift.ts'

export type ColumnType = 'text' | 'int32' | 'int64' | 'time'

/** `time` is microseconds since 1970, UTC. */
export interface Column {
  name: string
  type: ColumnType
  nullable: boolean
}

export type Value = string | number | null
export type Compress = (bytes: Buffer) => Uint8Array

const PHYSICAL = { int32: 1, int64: 2, time: 2, text: 6 } as const
const ENCODING = { plain: 0, rle: 3 } as const
const DATA_PAGE = 0
const ZSTD = 6

export interface ColumnChunk {
  pages: Buffer[]
  compressedBytes: number
  uncompressedBytes: number
  /** The description for the footer, if the chunk begins at this offset of the file. */
  metadata(offset: number): Field[]
}

export interface ColumnWriter {
  add(value: Value): void
  /** Ends the current page. */
  endPage(): void
  /** Returns everything since the last call; the writer starts over. */
  take(): ColumnChunk
}

export function columnWriter(column: Column, compress: Compress): ColumnWriter {
  const physical = PHYSICAL[column.type]
  const values = growing()
  let present: boolean[] = []
  let pages: Buffer[] = []
  let totals = { values: 0, nulls: 0, compressed: 0, uncompressed: 0 }
  let range: { least: number; most: number } | null = null

  function add(value: Value): void {
    present.push(value !== null)
    if (value === null) {
      if (!column.nullable) throw new Error(`column ${column.name} has no value in a row`)
      totals.nulls++
    } else if (typeof value === 'string') values.text(value)
    else {
      if (physical === PHYSICAL.int32) values.int32(value)
      else values.int64(value)
      if (range === null) range = { least: value, most: value }
      else if (value < range.least) range.least = value
      else if (value > range.most) range.most = value
    }
  }

  function endPage(): void {
    if (present.length === 0) return
    const plain = Buffer.concat([...(column.nullable ? [levels(present)] : []), values.take()])
    const packed = compress(plain)
    const header = thriftStruct([
      { id: 1, i32: DATA_PAGE },
      { id: 2, i32: plain.length },
      { id: 3, i32: packed.length },
      {
        id: 5,
        struct: [
          { id: 1, i32: present.length },
          { id: 2, i32: ENCODING.plain },
          { id: 3, i32: ENCODING.rle },
          { id: 4, i32: ENCODING.rle },
        ],
      },
    ])
    pages.push(header, Buffer.from(packed))
    totals.values += present.length
    totals.compressed += header.length + packed.length
    totals.uncompressed += header.length + plain.length
    present = []
  }

  function take(): ColumnChunk {
    endPage()
    const [taken, sums, bounds] = [pages, totals, range]
    pages = []
    totals = { values: 0, nulls: 0, compressed: 0, uncompressed: 0 }
    range = null
    return {
      pages: taken,
      compressedBytes: sums.compressed,
      uncompressedBytes: sums.uncompressed,
      metadata: offset => [
        { id: 1, i32: physical },
        { id: 2, i32s: [ENCODING.plain, ENCODING.rle] },
        { id: 3, strings: [column.name] },
        { id: 4, i32: ZSTD },
        { id: 5, i64: sums.values },
        { id: 6, i64: sums.uncompressed },
        { id: 7, i64: sums.compressed },
        { id: 9, i64: offset },
        { id: 12, struct: statistics(physical, sums.nulls, bounds) },
      ],
    }
  }

  return { add, endPage, take }
}

function statistics(
  physical: number,
  nulls: number,
  bounds: { least: number; most: number } | null,
): Field[] {
  const nullCount: Field = { id: 3, i64: nulls }
  if (bounds === null) return [nullCount]
  const bytesOf = (value: number) => {
    const one = growing()
    if (physical === PHYSICAL.int32) one.int32(value)
    else one.int64(value)
    return one.take()
  }
  return [nullCount, { id: 5, binary: bytesOf(bounds.most) }, { id: 6, binary: bytesOf(bounds.least) }]
}

/** Which values are present: one run of bits, lowest bit first, preceded by its length. */
function levels(present: boolean[]): Buffer {
  const groups = Math.ceil(present.length / 8)
  const run: number[] = []
  writeVarint(run, groups * 2 + 1)
  const bits = Buffer.alloc(groups)
  for (let i = 0; i < present.length; i++) if (present[i]) bits[i >> 3]! |= 1 << (i & 7)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(run.length + groups)
  return Buffer.concat([length, Buffer.from(run), bits])
}

/** A buffer that grows as it is written. */
function growing() {
  let buffer = Buffer.allocUnsafe(1024)
  let used = 0
  function room(bytes: number): number {
    if (used + bytes > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, used + bytes))
      buffer.copy(larger, 0, 0, used)
      buffer = larger
    }
    used += bytes
    return used - bytes
  }
  return {
    int32(value: number): void {
      const at = room(4)
      buffer.writeInt32LE(value, at)
    },
    int64(value: number): void {
      if (!Number.isSafeInteger(value))
        throw new Error(`${value} is not a whole number that a column can hold`)
      const at = room(8)
      const high = Math.floor(value / 0x1_0000_0000)
      buffer.writeUInt32LE(value - high * 0x1_0000_0000, at)
      buffer.writeInt32LE(high, at + 4)
    },
    text(value: string): void {
      const bytes = Buffer.byteLength(value)
      const at = room(4 + bytes)
      buffer.writeUInt32LE(bytes, at)
      buffer.write(value, at + 4)
    },
    /** Returns what was written so far; the buffer starts over. */
    take(): Buffer {
      const taken = Buffer.from(buffer.subarray(0, used))
      used = 0
      return taken
    },
  }
}
