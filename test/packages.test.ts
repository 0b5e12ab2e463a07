// The packages we are made of: what the lockfile promises to whoever installs by it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Entry {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  resolved?: string
}

const ROOT = join(import.meta.dirname, '..')
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry>
}

/** As Node looks for it: beside the package, then beside each package that it stands in. */
function isLocked(name: string, from: string): boolean {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    if (`${place === '' ? '' : `${place}/`}node_modules/${name}` in lock.packages) return true
    if (!place.includes('/node_modules/')) return place !== '' && `node_modules/${name}` in lock.packages
  }
}

test('the lockfile names every package of every platform, so that `npm ci` takes it', () => {
  const missing = Object.entries(lock.packages).flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter(name => !isLocked(name, place))
      .map(name => `${place} needs ${name}; run: node script/lockfile.mjs`),
  )
  expect(missing).toEqual([])
})

test('the lockfile names no registry: packages come from the one that npm is set to', () => {
  const named = Object.entries(lock.packages).filter(([, entry]) => entry.resolved !== undefined)
  expect(named.map(([place]) => place)).toEqual([])
})
