// SQL of delivery: the secrets of the deployment.

import type { Db } from '../platform/database.ts'

/** The secret of that name: the first who asks makes it, everybody gets the same. */
export async function secretNamed(db: Db, name: string, fresh: Buffer): Promise<Buffer> {
  await db.run('insert into secret (name, value) values ($1, $2) on conflict do nothing', [name, fresh])
  return (await db.row<{ value: Buffer }>('select value from secret where name = $1', [name]))!.value
}
