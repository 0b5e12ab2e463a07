// The built console. It has only the routes that are named in its sources or in its client's: what the client calls by
// itself (a job that a large copy becomes, the clock of a sandbox) must be among them. And its files can be loaded in an
// order in which each finds what it imports.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const textsIn = (folder: string, wanted: RegExp) =>
  readdirSync(join(ROOT, folder))
    .filter(name => wanted.test(name))
    .map(name => readFileSync(join(ROOT, folder, name), 'utf8'))

it('the built console knows every endpoint that its client calls by itself', () => {
  const client = textsIn('sdk', /^(?!endpoints|.*\.test).*\.ts$/).join('\n')
  const called = [...client.matchAll(/endpoints\.get\('(\w+)'\)|\bclient\.(\w+)\(/g)].map(
    ([, id, verb]) => id ?? verb,
  )
  expect(called).toEqual(expect.arrayContaining(['readJob', 'moveSandboxClock']))
  const built = textsIn('dist/web/assets', /\.js$/).join('\n')
  const isBuilt = (id?: string) => new RegExp(`\\bid"?:["'\`]${id}["'\`]`).test(built)
  expect(called.filter(id => !isBuilt(id))).toEqual([])
})

it('no files of the built console import each other in a circle, in which one would find nothing yet', () => {
  const folder = join(ROOT, 'dist/web/assets')
  const names = readdirSync(folder).filter(name => name.endsWith('.js'))
  const imported = new Map(
    names.map(name => {
      const text = readFileSync(join(folder, name), 'utf8')
      const found = text.matchAll(/(?:\bimport|\bfrom)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)
      return [name, [...found].map(([, other]) => other!)] as const
    }),
  )
  expect([...imported.values()].flat().length).toBeGreaterThan(names.length)
  // What imports only what is already loaded is loaded next.
  const loaded = new Set<string>()
  for (let before = -1; loaded.size > before; ) {
    before = loaded.size
    for (const [name, others] of imported) if (others.every(other => loaded.has(other))) loaded.add(name)
  }
  expect(names.filter(name => !loaded.has(name))).toEqual([])
})
