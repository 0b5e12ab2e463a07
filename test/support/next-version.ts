// The built program as its next release could be: a new version, and a database that it has expanded. The tables that
// this version reads and writes get new columns, and the one it writes most gets a new index.

import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
export const NEXT_VERSION = '99.0.0'
export const NEXT_MIGRATIONS = ['9001-expand.sql', '9002-index.sql']
export const NEXT_INDEX = 'share_added_next'

/** Tables of all parts: management, shares, counting, and our own jobs. */
const EXPANDED = ['campaign', 'banner', 'node', 'share', 'budget', 'event', 'fresh', 'rollup', 'deployment']
const SQL = [
  [
    ...EXPANDED.map(table => `alter table ${table} add column added_next integer not null default 7;`),
    'create table next_thing (id bigint primary key);',
  ].join('\n'),
  `-- outside of a transaction
drop index concurrently if exists ${NEXT_INDEX};
create index concurrently ${NEXT_INDEX} on share (added_next);
`,
]

/** Returns the path of its main file. */
export async function buildNextVersion(dir: string): Promise<string> {
  const dist = join(dir, 'dist')
  await mkdir(dist, { recursive: true })
  for (const part of ['src', 'migrations', 'docs'])
    await cp(join(ROOT, 'dist', part), join(dist, part), { recursive: true })
  for (const [at, name] of NEXT_MIGRATIONS.entries())
    await writeFile(join(dist, 'migrations', name), SQL[at]!)
  await writeFile(join(dir, 'package.json'), JSON.stringify({ version: NEXT_VERSION, type: 'module' }))
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  return join(dist, 'src/main.js')
}
