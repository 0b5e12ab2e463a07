// The programs of the embedded PostgreSQL are found, and repaired if their package was not installed correctly.

import {
  access,
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type Binaries,
  findBinaries,
  findSystemBinaries,
  missingFixes,
  runnableBinaries,
  versionIn,
} from './binaries.ts'

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
let base: string
let dataDir: string

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'marquee-binaries-'))
  dataDir = join(base, 'data')
  await mkdir(dataDir)
  if (!isRoot) return
  await chmod(base, 0o755)
  await chown(dataDir, NOBODY, NOBODY)
})
afterEach(async () => {
  if (!isRoot) await chmod(join(base, 'package', 'native', 'lib'), 0o755).catch(() => undefined)
  await rm(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

/** A package as npm unpacks it without install scripts: it has no links and no execute bits. */
async function unpacked(): Promise<Binaries> {
  const root = join(base, 'package', 'native')
  await mkdir(join(root, 'bin'), { recursive: true })
  await mkdir(join(root, 'lib'))
  await writeFile(join(base, 'package', 'package.json'), '{"version": "18.0.0"}')
  await writeFile(join(root, 'bin', 'initdb'), 'initdb', { mode: 0o644 })
  await writeFile(join(root, 'bin', 'postgres'), 'postgres', { mode: 0o644 })
  await writeFile(join(root, 'lib', 'libpq.so.5.18'), 'library')
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  await writeFile(join(root, 'pg-symlinks.json'), JSON.stringify(links))
  return { root, initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') }
}

async function expectRunnable(binaries: Binaries): Promise<void> {
  expect(await readlink(join(binaries.root, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18')
  expect(await readFile(join(binaries.root, 'lib', 'libpq.so.5'), 'utf8')).toBe('library')
  for (const program of [binaries.initdb, binaries.postgres]) {
    expect((await stat(program)).mode & 0o111).toBe(0o111)
  }
}

/** Runs an action as a user who cannot write to the package. */
async function withoutWriteAccess<T>(action: () => Promise<T>): Promise<T> {
  if (!isRoot) {
    await chmod(join(base, 'package', 'native', 'lib'), 0o555)
    return action()
  }
  process.seteuid?.(NOBODY)
  try {
    return await action()
  } finally {
    process.seteuid?.(0)
  }
}

it('the programs of this platform are found', async () => {
  const binaries = await findBinaries()
  for (const program of [binaries.initdb, binaries.postgres]) await access(program)
})

it('a platform without programs is named, with DATABASE_URL as the alternative', async () => {
  await expect(findBinaries('plan9-mips')).rejects.toThrow(/plan9-mips.*DATABASE_URL/)
})

it('a package whose install script did not run is repaired in place, and only once', async () => {
  const found = await unpacked()
  for (let i = 0; i < 2; i++) {
    const binaries = await runnableBinaries(found, dataDir)
    expect(binaries.root).toBe(found.root)
    await expectRunnable(binaries)
  }
})

it('a package that cannot be written is repaired in a copy, which is made once', async () => {
  const found = await unpacked()
  const copy = await withoutWriteAccess(() => runnableBinaries(found, dataDir))
  expect(copy.root.startsWith(dataDir)).toBe(true)
  await expectRunnable(copy)
  const made = (await stat(copy.root)).ctimeMs
  const again = await withoutWriteAccess(() => runnableBinaries(found, dataDir))
  expect(again.root).toBe(copy.root)
  expect((await stat(again.root)).ctimeMs).toBe(made)
})

it('a system without PostgreSQL is told which package to install', async () => {
  await mkdir(join(base, 'system', '14', 'bin'), { recursive: true })
  await writeFile(join(base, 'system', '14', 'bin', 'initdb'), '')
  await expect(findSystemBinaries(dataDir, join(base, 'system'))).rejects.toThrow(
    /system has no PostgreSQL server from 15 on. Install the package postgresql,/,
  )
  await expect(findSystemBinaries(dataDir, join(base, 'nowhere'))).rejects.toThrow('has no PostgreSQL server')
})

it('a version is behind only if a newer one of the same major is known', () => {
  expect(versionIn('postgres (PostgreSQL) 18.4')).toBe('18.4')
  expect(versionIn('postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)')).toBe('15.14')
  expect(missingFixes('18.4')!.text).toContain('18.4; 18.6')
  for (const version of ['18.6', '18.7', '15.1', '19.0']) expect(missingFixes(version)).toBeNull()
})
