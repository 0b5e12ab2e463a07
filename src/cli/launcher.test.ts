// ./script/marquee and ./script/server find their checkout from anywhere: through a link, from another folder, and
// whatever the folder is called. Here they start a program that prints where it is and which arguments it got.

import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let place: string
let checkout: string

beforeAll(async () => {
  place = await realpath(await mkdtemp(join(tmpdir(), 'marquee-launcher-')))
  checkout = join(place, 'a folder #1 %41')
  await mkdir(join(checkout, 'dist/src'), { recursive: true })
  await mkdir(join(checkout, 'script'))
  for (const name of ['marquee', 'server']) await cp(`script/${name}`, join(checkout, 'script', name))
  await writeFile(join(checkout, 'script/setup'), '#!/bin/sh\n', { mode: 0o755 })
  await writeFile(join(checkout, 'script/build.mjs'), '')
  const says = 'console.log(JSON.stringify([process.argv[1], process.cwd(), ...process.argv.slice(2)]))'
  await writeFile(join(checkout, 'dist/src/main.js'), says)
  await mkdir(join(place, 'bin'))
})
afterAll(() => rm(place, { recursive: true, force: true }))

describe.each([
  ['marquee', []],
  ['server', ['serve']],
])('script/%s', (name, first) => {
  const started = (file: string) =>
    JSON.parse(execFileSync(file, ['--a', 'b c'], { cwd: place, encoding: 'utf8' }))
  const expected = () => [join(checkout, 'dist/src/main.js'), place, ...first, '--a', 'b c']

  it('runs its own checkout, in the folder of the caller', () => {
    expect(started(join(checkout, 'script', name))).toEqual(expected())
  })

  it('does so through a link to it', async () => {
    const link = join(place, 'bin', name)
    await symlink(join(checkout, 'script', name), link)
    expect(started(link)).toEqual(expected())
  })
})
