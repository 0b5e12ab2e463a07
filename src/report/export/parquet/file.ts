// Writes a Parquet file in memory: pages are compressed as rows are added, and the footer is written last. Uses only
// plain encoding and zstd, which every reader knows. Lets other work run between chunks, so that a process that serves
// requests can write a large file. https://parquet.apache.org/docs/file-format/

import { setImmediate as others } from 'node:timers/promises'
import { Zstd } from '@hpcc-js/wasm-zstd'
import { type Column, columnWriter, type Value } from './column.ts'
import { type Field, thriftStruct } from './thrift.ts'

const MAGIC = Buffer.from('PAR1')
/** Small enough that compressing a page takes 1 to 2 ms. */
const PAGE_ROWS = 10_000
const GROUP_ROWS = 200_000
const REQUIRED = 0
const OPTIONAL = 1
const UTF8 = 0
const TIMESTAMP_MICROS = 10
const PHYSICAL = { int32: 1, int64: 2, time: 2, text: 6 } as const

export interface ParquetFile {
  /** Each row has a value for each column, in the same order. */
  append(rows: Value[][]): Promise<void>
  /** Returns the bytes of the whole file. */
  finish(): Promise<Buffer>
}

let loading: Promise<Zstd> | null = null

export async function parquetFile(columns: Column[], about: Record<string, string>): Promise<ParquetFile> {
  loading ??= Zstd.load() as Promise<Zstd>
  const zstd = await loading
  const writers = columns.map(column => columnWriter(column, bytes => zstd.compress(bytes)))
  const parts: Buffer[] = [MAGIC]
  const groups: Field[][] = []
  let offset = MAGIC.length
  let rowsInPage = 0
  let rowsInGroup = 0
  let rowsInAll = 0

  async function endPage(): Promise<void> {
    for (const writer of writers) {
      writer.endPage()
      await others()
    }
    rowsInPage = 0
  }

  async function endGroup(): Promise<void> {
    if (rowsInGroup === 0) return
    await endPage()
    const groupOffset = offset
    let uncompressed = 0
    const chunks = writers.map(writer => {
      const chunk = writer.take()
      const begin = offset
      parts.push(...chunk.pages)
      offset += chunk.compressedBytes
      uncompressed += chunk.uncompressedBytes
      return [
        { id: 2, i64: begin },
        { id: 3, struct: chunk.metadata(begin) },
      ] satisfies Field[]
    })
    groups.push([
      { id: 1, structs: chunks },
      { id: 2, i64: uncompressed },
      { id: 3, i64: rowsInGroup },
      { id: 5, i64: groupOffset },
      { id: 6, i64: offset - groupOffset },
    ])
    rowsInAll += rowsInGroup
    rowsInGroup = 0
  }

  async function append(rows: Value[][]): Promise<void> {
    await others()
    for (const row of rows) {
      for (let i = 0; i < writers.length; i++) writers[i]!.add(row[i]!)
      rowsInGroup++
      if (++rowsInPage >= PAGE_ROWS) await endPage()
      if (rowsInGroup >= GROUP_ROWS) await endGroup()
    }
  }

  async function finish(): Promise<Buffer> {
    await endGroup()
    const footer = thriftStruct([
      { id: 1, i32: 2 },
      { id: 2, structs: schemaOf(columns) },
      { id: 3, i64: rowsInAll },
      { id: 4, structs: groups },
      { id: 5, structs: Object.entries(about).map(keyValue) },
      { id: 6, binary: 'marquee' },
      // The bounds of each column are ordered by its type.
      { id: 7, structs: columns.map(() => [{ id: 1, struct: [] }]) },
    ])
    const length = Buffer.alloc(4)
    length.writeUInt32LE(footer.length)
    return Buffer.concat([...parts, footer, length, MAGIC])
  }

  return { append, finish }
}

function keyValue([key, value]: [string, string]): Field[] {
  return [
    { id: 1, binary: key },
    { id: 2, binary: value },
  ]
}

function schemaOf(columns: Column[]): Field[][] {
  const root: Field[] = [
    { id: 4, binary: 'event' },
    { id: 5, i32: columns.length },
  ]
  return [root, ...columns.map(elementOf)]
}

function elementOf({ name, type, nullable }: Column): Field[] {
  const element: Field[] = [
    { id: 1, i32: PHYSICAL[type] },
    { id: 3, i32: nullable ? OPTIONAL : REQUIRED },
    { id: 4, binary: name },
  ]
  if (type === 'text') element.push({ id: 6, i32: UTF8 }, { id: 10, struct: [{ id: 1, struct: [] }] })
  if (type === 'time')
    element.push({ id: 6, i32: TIMESTAMP_MICROS }, { id: 10, struct: [{ id: 8, struct: UTC_MICROS }] })
  return element
}

const UTC_MICROS: Field[] = [
  { id: 1, bool: true },
  { id: 2, struct: [{ id: 2, struct: [] }] },
]
