// SQL of lost leaves: finds them, and moves their rows to a leaf that exists.

import type { Db } from '../../platform/database.ts'
import { partNamed, valuesOf } from './queries.ts'

export interface LostLeaf {
  leaf: number
  cuid: number
  cid: number
}

/** Looks each leaf up once by its key, and never reads the whole table of leaves. */
export function selectLostLeaves(tx: Db, part: number) {
  return tx.rows<LostLeaf>(
    `select f.* from (
       select leaf, cuid, cid from ${partNamed(part)} union select leaf, cuid, cid from ${valuesOf(part)} offset 0
     ) f
     where not exists (select from leaf l where l.leaf = f.leaf and l.cuid = f.cuid and l.cid = f.cid)
     order by leaf, cuid, cid`,
  )
}

/** Restores leaves under their own numbers, if these are free, and keeps the sequence from issuing them again. */
export async function insertLostLeaves(tx: Db, lost: LostLeaf[]): Promise<void> {
  const highest = Math.max(...lost.map(row => row.leaf))
  await tx.row(`select setval('ids', greatest(nextval('ids'), $1))`, [highest])
  await tx.run(
    `insert into leaf (leaf, cuid, cid, fid, pid, bid)
     select leaf, cuid, cid, -leaf, 0, 0 from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as t(leaf, cuid, cid)
     on conflict do nothing`,
    [lost.map(row => row.leaf), lost.map(row => row.cuid), lost.map(row => row.cid)],
  )
}

/** Returns a new leaf, with a number of its own, for rows of a lost one. */
export async function adoptLeaf(tx: Db, { leaf, cuid, cid }: LostLeaf): Promise<number> {
  await tx.run(
    `insert into leaf (cuid, cid, fid, pid, bid) values ($1, $2, -$3::bigint, 0, 0) on conflict do nothing`,
    [cuid, cid, leaf],
  )
  const row = await tx.row<{ leaf: number }>(
    'select leaf from leaf where (cid, fid, pid, bid, cuid) = ($2, -$3::bigint, 0, 0, $1)',
    [cuid, cid, leaf],
  )
  return row!.leaf
}

export async function moveFresh(
  tx: Db,
  part: number,
  { leaf, cuid, cid }: LostLeaf,
  to: number,
): Promise<void> {
  for (const table of [partNamed(part), 'fresh_value'])
    await tx.run(`update ${table} set leaf = $4 where leaf = $1 and cuid = $2 and cid = $3`, [
      leaf,
      cuid,
      cid,
      to,
    ])
}

export function moveEvents(tx: Db, { leaf, cid }: LostLeaf, to: number) {
  return tx.run('update event set leaf = $3 where cid = $2 and leaf = $1', [leaf, cid, to])
}
