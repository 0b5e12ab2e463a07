// The columns of an exported file, as docs/export.md describes them. Readers may rely on them: columns may be added at
// the end, but none is ever changed or removed.

import type { Column } from './parquet/file.ts'

export const COLUMNS: Column[] = [
  { name: 'kind', type: 'text', nullable: false },
  { name: 'occurred_at', type: 'time', nullable: false },
  { name: 'served_at', type: 'time', nullable: false },
  { name: 'ad', type: 'text', nullable: false },
  { name: 'cuid', type: 'int64', nullable: false },
  { name: 'cid', type: 'int64', nullable: false },
  { name: 'fid', type: 'int64', nullable: false },
  { name: 'pid', type: 'int64', nullable: false },
  { name: 'bid', type: 'int64', nullable: false },
  { name: 'source', type: 'int64', nullable: true },
  { name: 'budget_day', type: 'int32', nullable: true },
  { name: 'spend_micros', type: 'int64', nullable: false },
  { name: 'domain', type: 'text', nullable: true },
  { name: 'app', type: 'text', nullable: true },
  { name: 'device', type: 'text', nullable: true },
  { name: 'os', type: 'text', nullable: true },
  { name: 'country', type: 'text', nullable: true },
  { name: 'action', type: 'text', nullable: true },
  { name: 'value_micros', type: 'int64', nullable: true },
  { name: 'credited_to', type: 'text', nullable: true },
  { name: 'region', type: 'text', nullable: true },
  { name: 'city', type: 'text', nullable: true },
  { name: 'category', type: 'text', nullable: true },
  { name: 'pricing', type: 'text', nullable: true },
  { name: 'price_micros', type: 'int64', nullable: true },
]

export const KIND = COLUMNS.findIndex(column => column.name === 'kind')
export const SPEND = COLUMNS.findIndex(column => column.name === 'spend_micros')
export const CATEGORY = COLUMNS.findIndex(column => column.name === 'category')
export const VALUE = COLUMNS.findIndex(column => column.name === 'value_micros')
