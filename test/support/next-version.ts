// The built program as its next release could be: another version, and a database that it has expanded. Everything that
// this version reads and writes has new columns there.

import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
export const NEXT_VERSION = '99.0.0'
export const NEXT_MIGRATION = '9001-expand.sql'

/** Tables of all parts: management, shares, counting, jobs of our own. */
const EXPANDED = ['campaign', 'banner', 'node', 'share', 'budget', 'event', 'fresh', 'rollup', 'deployment']
const SQL = [
  ...EXPANDED.map(table => `alter table ${table} add column added_next integer not null default 7;`),
  'create table next_thing (id bigint primary key);',
].join('\n')

/** Where its main file is. */
export async function buildNextVersion(dir: string): Promise<string> {
  const dist = join(dir, 'dist')
  await mkdir(dist, { recursive: true })
  for (const part of ['src', 'sdk', 'migrations', 'docs'])
    await cp(join(ROOT, 'dist', part), join(dist, part), { recursive: true })
  await writeFile(join(dist, 'migrations', NEXT_MIGRATION), SQL)
  await writeFile(join(dir, 'package.json'), JSON.stringify({ version: NEXT_VERSION, type: 'module' }))
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  return join(dist, 'src/main.js')
}
