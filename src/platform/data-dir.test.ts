// A DATA_DIR that cannot be written is refused with a clear message.

import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mustBeWritable } from './data-dir.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'marquee-data-dir-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

it('the refusal of a missing folder that cannot be created says so', async () => {
  const link = join(dir, 'link')
  await symlink(join(dir, 'not', 'mounted'), link)
  await expect(mustBeWritable(link)).rejects.toThrow(`"${link}": it does not exist and cannot be created`)
})

it('a file is refused, because it is no folder', async () => {
  const file = join(dir, 'file')
  await writeFile(file, '')
  await expect(mustBeWritable(file)).rejects.toThrow('a part of the path is a file')
})

it('a folder where nothing can be created is refused too, rather than tried forever', async () => {
  await expect(mustBeWritable('/proc/marquee/data')).rejects.toThrow('must be a folder that can be written')
})

it('a folder is created together with its missing parents', async () => {
  const deep = join(dir, 'not', 'there', 'yet')
  await mustBeWritable(deep)
  expect((await stat(deep)).mode & 0o777).toBe(0o700)
})
