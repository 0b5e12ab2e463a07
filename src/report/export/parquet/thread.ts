// The thread that writes one Parquet file: it holds the rows of one group and what is packed so far. Values are packed
// with dictionaries where that is shorter, and compressed with zstd.

import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { Zstd } from '@hpcc-js/wasm-zstd'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { Column, ColumnType, FileOrder, Value } from './file.ts'

const GROUP_ROWS = 100_000
const ELEMENTS: Record<ColumnType, Omit<SchemaElement, 'name'>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
}

const { columns, about } = workerData as FileOrder
const zstd = (await Zstd.load()) as Zstd
const bytes = new ByteWriter()
const writer = new ParquetWriter({
  writer: bytes,
  schema: [{ name: 'event', num_children: columns.length }, ...columns.map(elementOf)],
  codec: 'ZSTD',
  compressors: { ZSTD: page => zstd.compress(page) },
  kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
  createdBy: 'marquee',
})
let group: Value[][] = []

parentPort!.on('message', (rows: Value[][] | null) => (rows ? add(rows) : finish()))

function add(rows: Value[][]): void {
  for (const row of rows) {
    for (const [at, column] of columns.entries()) check(column, row[at]!)
    if (group.push(row) === GROUP_ROWS) writeGroup()
  }
  parentPort!.postMessage(null)
}

function finish(): void {
  if (group.length > 0) writeGroup()
  writer.finish()
  const file = bytes.getBuffer()
  const sha256 = createHash('sha256').update(new Uint8Array(file)).digest('hex')
  parentPort!.postMessage({ bytes: file, sha256 }, [file])
}

function elementOf({ name, type, nullable }: Column): SchemaElement {
  return { name, repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED', ...ELEMENTS[type] }
}

function check({ name, type, nullable }: Column, value: Value): void {
  if (value === null && !nullable) throw new Error(`column ${name} has no value in a row`)
  if (value !== null && type !== 'text' && !Number.isSafeInteger(value))
    throw new Error(`${value} is not a whole number that a column can hold`)
}

function writeGroup(): void {
  const columnData = columns.map(({ name, type }, at) => ({ name, data: group.map(valueFor(type, at)) }))
  writer.write({ columnData, rowGroupSize: GROUP_ROWS })
  group = []
}

/** 64 bits are written from a bigint. */
function valueFor(type: ColumnType, at: number): (row: Value[]) => Value | bigint {
  if (type === 'text' || type === 'int32') return row => row[at]!
  return row => (row[at] === null ? null : BigInt(row[at]!))
}
