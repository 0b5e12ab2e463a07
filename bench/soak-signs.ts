// What grows when something leaks: memory, descriptors, connections, and the tables that neither events nor edits make
// larger.

import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'

export interface Signs {
  memoryMb: number
  descriptors: number
  connections: number
  /** All tables except events and figures, which grow with the traffic, and the history of edits. */
  tablesKb: number
}

export type Sign = keyof Signs

/**
 * How much a sign may grow from the middle to the last third of a run and still count as flat: a share, plus an
 * absolute amount.
 */
export const ROOM: Record<Sign, { share: number; more: number }> = {
  memoryMb: { share: 0.1, more: 20 },
  descriptors: { share: 0.1, more: 10 },
  connections: { share: 0.1, more: 4 },
  tablesKb: { share: 0.1, more: 1024 },
}

const STANDING = `
  select coalesce(sum(pg_total_relation_size(c.oid)), 0) / 1024 as kb from pg_class c
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    and c.relname !~ '^(event|fresh|rollup|leaf|action|audit|place|served_day|catalog_change)'`

export async function readSigns(pid: number, database: pg.Client): Promise<Signs> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const { rows } = await database.query<{ connections: number; kb: number }>(
    `select (select count(*)::int from pg_stat_activity
             where datname = current_database() and application_name like 'marquee%') as connections,
       (${STANDING})::int as kb`,
  )
  return {
    memoryMb: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    connections: rows[0]!.connections,
    tablesKb: rows[0]!.kb,
  }
}

/** The signs that were not flat: the first third is a warm-up, and the last third is compared with the middle one. */
export function grown(samples: Signs[]): Sign[] {
  const third = Math.floor(samples.length / 3)
  const middle = samples.slice(third, samples.length - third)
  const last = samples.slice(samples.length - third)
  return (Object.keys(ROOM) as Sign[]).filter(sign => {
    const { share, more } = ROOM[sign]
    return median(last, sign) > median(middle, sign) * (1 + share) + more
  })
}

function median(samples: Signs[], sign: Sign): number {
  const sorted = samples.map(sample => sample[sign]).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
