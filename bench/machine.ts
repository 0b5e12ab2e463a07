// What a bench ran on: figures of two machines, two versions of Node or two builds of PostgreSQL do not compare.

import { cpus } from 'node:os'
import type { Database } from '../src/platform/database.ts'

/** Prints it as one line of JSON, so that no figure is read from it. */
export async function tellMachine(db: Database): Promise<void> {
  const row = await db.row<{ version: string; build: string }>(
    `select current_setting('server_version') as version, (select string_agg(name || '=' || setting, ' ') from pg_config()
       where name in ('CFLAGS', 'CC')) as build`,
  )
  const { version, build } = row!
  const processors = `${cpus().length} x ${cpus()[0]!.model.trim()}`
  console.log(JSON.stringify({ node: process.version, postgresql: version, build, processors }))
}
