// Parquet files as another engine reads them.

import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { duckdb } from '../../../../test/support/duckdb.ts'
import { type Column, parquetFile, type Value } from './file.ts'

const COLUMNS: Column[] = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'day', type: 'int32', nullable: true },
  { name: 'amount', type: 'int64', nullable: true },
  { name: 'word', type: 'text', nullable: true },
  { name: 'moment', type: 'time', nullable: false },
]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'marquee-parquet-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function fileOf(rows: Value[][]) {
  const file = parquetFile(COLUMNS, { note: 'ünder' })
  try {
    await file.append(rows)
    return await file.finish()
  } finally {
    await file.close()
  }
}

let files = 0
async function written(rows: Value[][]): Promise<string> {
  const path = join(folder, `${files++}.parquet`)
  await writeFile(path, (await fileOf(rows)).bytes)
  return path
}

it('another engine reads every value as it was written', async () => {
  const rows: Value[][] = [
    [1, 20261115, Number.MAX_SAFE_INTEGER, 'plain', 1_794_000_000_123_456],
    [2, null, Number.MIN_SAFE_INTEGER, '', 0],
    [3, -1, null, null, -1],
    [4, 2_147_483_647, -4_294_967_296, 'ä "quoted" 🚲 \n', 1],
    [5, -2_147_483_648, 4_294_967_295, 'x'.repeat(100_000), 2],
    [6, 0, 0, 'NULL', 3],
  ]
  const path = await written(rows)
  const back = await duckdb(
    `select id, day, amount, word, epoch_us(moment)::bigint as moment from '${path}' order by id`,
  )
  expect(back).toEqual(
    rows.map(([id, day, amount, word, moment]) => ({
      id: String(id),
      day,
      amount: amount === null ? null : String(amount),
      word,
      moment: String(moment),
    })),
  )
})

it('pages and groups of a large file join without a gap', async () => {
  const count = 450_001
  const rows = Array.from({ length: count }, (_, i) => [
    i,
    i % 3 === 0 ? null : i % 1000,
    i % 2 === 0 ? i * 1000 : null,
    i % 5 === 0 ? null : `w${i % 77}`,
    i * 1_000_000,
  ])
  const path = await written(rows)
  const [sums] = await duckdb<Record<string, string>>(
    `select count(*) as rows, count(distinct id) as ids, sum(day) as days, sum(amount) as amounts,
       count(word) as words, count(distinct word) as kinds, max(moment)::varchar as latest from '${path}'`,
  )
  const sum = (column: number) =>
    rows.reduce((total, row) => total + ((row[column] as number | null) ?? 0), 0)
  expect(sums).toEqual({
    rows: String(count),
    ids: String(count),
    days: String(sum(1)),
    amounts: String(sum(2)),
    words: String(rows.filter(row => row[3] !== null).length),
    kinds: '77',
    latest: '1970-01-06 04:59:60+00'.replace('04:59:60', '05:00:00'),
  })
  const groups = await duckdb<{ n: string; compression: string }>(
    `select count(distinct row_group_id) as n, any_value(compression) as compression from parquet_metadata('${path}')`,
  )
  expect(groups).toEqual([{ n: '5', compression: 'ZSTD' }])
  const [found] = await duckdb<{ n: string }>(
    `select count(*) as n from '${path}' where id = 449999 or day = 7`,
  )
  expect(Number(found!.n)).toBe(rows.filter(row => row[0] === 449_999 || row[1] === 7).length)
})

it('a file without rows is valid', async () => {
  expect(await duckdb(`select count(*) as n from '${await written([])}'`)).toEqual([{ n: '0' }])
})

it('the same rows give the same bytes, and the hash is theirs', async () => {
  const [one, other] = [await fileOf([[1, 2, 3, 'four', 5]]), await fileOf([[1, 2, 3, 'four', 5]])]
  expect(one.bytes.equals(other.bytes)).toBe(true)
  expect(one.sha256).toBe(createHash('sha256').update(one.bytes).digest('hex'))
})

it('a row without a required value is refused, and so is all that follows', async () => {
  await expect(fileOf([[null, 1, 1, 'x', 1]])).rejects.toThrow('id has no value')
  await expect(fileOf([[1.5, 1, 1, 'x', 1]])).rejects.toThrow('1.5')
  const file = parquetFile(COLUMNS, {})
  await expect(file.append([[null, 1, 1, 'x', 1]])).rejects.toThrow('id has no value')
  await expect(file.finish()).rejects.toThrow('id has no value')
})

it('a file that is given up ends its thread', async () => {
  const file = parquetFile(COLUMNS, {})
  await file.append([[1, 2, 3, 'four', 5]])
  await file.close()
  await expect(file.finish()).rejects.toThrow('has ended')
})
