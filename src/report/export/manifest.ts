// The manifest of an hour: its files, and what they add up to. It is written last, once, and never changed: if it
// exists, the hour is complete.

import { KIND, SPEND, VALUE } from './columns.ts'
import type { Value } from './parquet/file.ts'
import type { ClosedHour } from './queries.ts'

export const FORMAT = 1

export interface ManifestFile {
  name: string
  rows: number
  bytes: number
  sha256: string
}

export interface Sums {
  imps: number
  views: number
  clicks: number
  actions: number
  spendMicros: number
  valueMicros: number
}

export interface Manifest {
  format: number
  hour: string
  closedAt: string
  currency: string
  rows: number
  sums: Sums
  files: ManifestFile[]
}

export function folderOf({ hour }: ClosedHour): string {
  const text = hour.toISOString()
  return `day=${text.slice(0, 10)}/hour=${text.slice(11, 13)}/`
}

/** The name begins with an underscore, so that table engines ignore the file. */
export function manifestKey(hour: ClosedHour): string {
  return `${folderOf(hour)}_manifest.json`
}

export function noSums(): Sums {
  return { imps: 0, views: 0, clicks: 0, actions: 0, spendMicros: 0, valueMicros: 0 }
}

const COUNTER_OF: Record<string, 'imps' | 'views' | 'clicks' | 'actions'> = {
  impression: 'imps',
  view: 'views',
  click: 'clicks',
  action: 'actions',
}

export function addRow(sums: Sums, row: Value[]): void {
  const counter = COUNTER_OF[row[KIND] as string]
  if (counter) sums[counter]++
  sums.spendMicros += row[SPEND] as number
  sums.valueMicros += (row[VALUE] as number | null) ?? 0
}

export function readManifest(bytes: Buffer): Manifest {
  return JSON.parse(bytes.toString('utf8')) as Manifest
}

export function writeManifest(manifest: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
}
