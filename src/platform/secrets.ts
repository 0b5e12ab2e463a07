// Secrets of the deployment, stored in the database: created on first use and shared by all processes.

import { randomBytes } from 'node:crypto'
import type { Db } from './database.ts'

const SECRET_BYTES = 32

export async function secretNamed(db: Db, name: string): Promise<Buffer> {
  const present = await selectSecret(db, name)
  if (present) return present
  await db.run('insert into secret (name, value) values ($1, $2) on conflict do nothing', [
    name,
    randomBytes(SECRET_BYTES),
  ])
  return (await selectSecret(db, name))!
}

async function selectSecret(db: Db, name: string): Promise<Buffer | null> {
  const row = await db.row<{ value: Buffer }>('select value from secret where name = $1', [name])
  return row?.value ?? null
}
