// The console's bundle has only the routes that are named in its sources or in its client's. What the client calls by
// itself (a job that a large copy becomes, the clock of a sandbox) must be among them.

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
