// A released migration is never changed: databases keep its checksum, and the next start would refuse them.
// `migrations.json` has those of all releases; `script/release` adds the new ones.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const FOLDER = new URL('../../migrations/', import.meta.url)
const FILE = new URL('migrations.json', import.meta.url)

function today(): Record<string, string> {
  const names = readdirSync(FOLDER).sort()
  const hashOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(new URL(name, FOLDER)))
      .digest('hex')
  return Object.fromEntries(names.map(name => [name, hashOf(name)]))
}

it('no released migration is changed, gone, or preceded by a new one', () => {
  const released: Record<string, string> = JSON.parse(readFileSync(FILE, 'utf8'))
  const count = Object.keys(released).length
  expect(count).toBeGreaterThan(0)
  expect(Object.fromEntries(Object.entries(today()).slice(0, count))).toEqual(released)
})

if (process.env.RELEASE) {
  it('are recorded as released', () => {
    writeFileSync(FILE, `${JSON.stringify(today(), null, 2)}\n`)
  })
}
