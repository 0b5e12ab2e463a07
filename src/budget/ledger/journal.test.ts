// The journal of reservations: what was flushed survives, and what is damaged costs only itself.

import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { reasonOf } from '../../platform/trouble.ts'
import { createNodeShare } from '../shares/node-share.ts'
import type { AdFacts } from './ad.ts'
import type { Account } from './books.ts'
import { type Journal, type JournalOptions, openJournal } from './journal.ts'
import { startReplay } from './records.ts'

const DAY = 20261115
let dir = ''
const opened: Journal[] = []
const errors: unknown[] = []

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ledger-journal-'))
  errors.length = 0
})
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close()
  await rm(dir, { recursive: true, force: true })
})

async function start(more: Partial<JournalOptions> = {}): Promise<Journal> {
  const journal = await openJournal({
    dir,
    nowMs: 0,
    segmentBytes: 1 << 20,
    maxPendingBytes: 1 << 24,
    onError: error => errors.push(error),
    ...more,
  })
  opened.push(journal)
  return journal
}

const ad = (n: number, reservedUntilMs = 1000): AdFacts => ({
  adId: Buffer.from(String(n).padStart(12, '0')).toString('base64url'),
  cid: 2 ** 40 + n,
  payer: n % 4 < 2 ? 0 : 2 ** 40 + 5 * n,
  dayKey: DAY,
  priceMicros: 10 + n,
  reservedUntilMs,
  user: n % 2 ? { hi: 0xffffffff, lo: n } : null,
})
const account = (cid: number, grantedMicros: number, latestUntilMs: number): Account => ({
  cid,
  payer: 0,
  dayKey: DAY,
  endMs: 0,
  grantedMicros,
  spentMicros: 0,
  reservedMicros: 0,
  openAds: 0,
  latestUntilMs,
  countsMissing: false,
  share: createNodeShare(),
})

describe('the journal', () => {
  test('the next process knows what was flushed, although the first never closed its file', async () => {
    const { log, flush } = await start()
    for (const n of [1, 2, 3, 4]) log.reserved(ad(n), 500)
    log.ended(ad(2), 'freed')
    log.ended(ad(3), 'billed')
    log.budget(account(ad(1).cid, 700, 1000))
    await flush()
    const { recovered } = await start()
    expect(recovered.open).toEqual([ad(1), ad(4)])
    expect(recovered.billed).toEqual([ad(3)])
    expect(recovered.budgets.find(row => row.cid === ad(1).cid)?.grantedMicros).toBe(700)
    expect(recovered.budgets.find(row => row.cid === ad(4).cid)?.grantedMicros).toBe(500)
    expect(recovered.damagedRecords).toBe(0)
  })

  test('a caller that waits for its record to be kept is told as soon as it is, while others continue to write', async () => {
    const { log, kept, status } = await start()
    let isOver = false
    let n = 0
    const others = (async () => {
      while (!isOver) {
        log.reserved(ad(2 * ++n), 100)
        await new Promise(resolve => setImmediate(resolve))
      }
    })()
    for (let own = 1; own < 20; own += 2) {
      log.reserved(ad(own), 100)
      await kept()
      const known = startReplay(0)
      for (const name of (await readdir(dir)).sort())
        Array.from(known.segment(await readFile(join(dir, name))))
      expect(known.result().open.map(({ adId }) => adId)).toContain(ad(own).adId)
    }
    isOver = true
    await others
    await kept()
    expect(status().pendingBytes).toBe(0)
    await kept()
  })

  test('ads that have expired meanwhile are not recovered', async () => {
    const { log, flush } = await start()
    log.reserved(ad(1, 1000), 1)
    log.reserved(ad(2, 1001), 1)
    log.ended(ad(3, 1000), 'billed')
    await flush()
    const { recovered } = await start({ nowMs: 1000 })
    expect(recovered.open).toEqual([ad(2, 1001)])
    expect(recovered.billed).toEqual([])
  })

  test('a long journal is read in chunks, so that others are served in between', async () => {
    const first = await start({ segmentBytes: 1 << 24 })
    for (let n = 1; n <= 20_000; n++) first.log.reserved(ad(n), 1)
    await first.close()
    const [name] = await readdir(dir)
    const replay = startReplay(0)
    const pauses = Array.from(replay.segment(await readFile(join(dir, name!))))
    expect(pauses.length).toBeGreaterThan(5)
    expect(replay.result().open).toHaveLength(20_000)
  })

  test('a torn last record loses only itself, wherever it is torn', async () => {
    const first = await start()
    for (const n of [1, 2]) first.log.reserved(ad(n), 1)
    await first.close()
    const path = join(dir, (await readdir(dir))[0]!)
    const bytes = await readFile(path)
    for (let length = bytes.length - 1; length > bytes.length - 64; length--) {
      await writeFile(path, bytes)
      await truncate(path, length)
      const { recovered, close } = await start()
      expect(recovered.open, `torn at ${length}`).toEqual([ad(1)])
      expect(recovered.damagedRecords).toBe(1)
      await close()
    }
  })

  test('a flipped bit loses only its record', async () => {
    const first = await start()
    for (const n of [1, 2, 3]) first.log.reserved(ad(n), 1)
    await first.close()
    const path = join(dir, (await readdir(dir))[0]!)
    const bytes = await readFile(path)
    for (let at = 128; at < 192; at++) {
      const damaged = Buffer.from(bytes)
      damaged[at]! ^= 1
      await writeFile(path, damaged)
      expect((await start()).recovered.open).toEqual([ad(1), ad(3)])
    }
  })

  test('after a torn file, new records go into a new one and both are read', async () => {
    const first = await start()
    first.log.reserved(ad(1), 1)
    await first.close()
    const path = join(dir, (await readdir(dir))[0]!)
    await writeFile(path, Buffer.concat([await readFile(path), Buffer.from('torn')]))
    const second = await start()
    second.log.ended(ad(1), 'billed')
    second.log.reserved(ad(2), 1)
    await second.close()
    const { recovered } = await start()
    expect(recovered.open).toEqual([ad(2)])
    expect(recovered.billed).toEqual([ad(1)])
  })

  test('segments rotate, and are removed when everything in them is over, not before', async () => {
    const journal = await start({ segmentBytes: 256 })
    for (let n = 0; n < 12; n++) {
      journal.log.reserved(ad(n, 1000 + n), 1)
      await journal.flush()
    }
    expect(journal.status().segments).toBe(4)
    await journal.sweep(1004)
    expect((await start({ nowMs: 1004 })).recovered.open.length).toBe(7)
    expect(journal.status().segments).toBe(3)
    await journal.sweep(5000)
    expect(journal.status().segments).toBe(1)
    await journal.close()
    await journal.sweep(5000)
    expect(journal.status().segments).toBe(0)
    expect(errors).toEqual([])
  })

  test('segments of earlier processes are removed too', async () => {
    const first = await start()
    first.log.reserved(ad(1, 1000), 1)
    await first.close()
    const second = await start()
    await second.sweep(999)
    expect((await readdir(dir)).length).toBe(1)
    await second.sweep(1000)
    expect(await readdir(dir)).toEqual([])
  })

  test('with a disk that is too slow it drops records and counts them, and never grows without bound', async () => {
    const journal = await start({ maxPendingBytes: 64 * 10 })
    for (let n = 0; n < 25; n++) journal.log.reserved(ad(n), 1)
    expect(journal.status()).toMatchObject({ pendingBytes: 640, droppedRecords: 15 })
    await journal.flush()
    journal.log.reserved(ad(99), 1)
    await journal.flush()
    expect(journal.status()).toMatchObject({ pendingBytes: 0, droppedRecords: 15 })
    expect((await start()).recovered.open.length).toBe(11)
  })

  test('a directory that disappears is created again, and its lost segments cause no error', async () => {
    const journal = await start({ segmentBytes: 1 })
    journal.log.reserved(ad(1), 1)
    await journal.flush()
    await rm(dir, { recursive: true })
    journal.log.reserved(ad(2), 1)
    await journal.flush()
    expect((await start()).recovered.open).toEqual([ad(2)])
    await journal.sweep(2000)
    expect([errors, journal.status().droppedRecords]).toEqual([[], 0])
  })

  test('a directory that cannot be created again is reported, and the journal continues when it can', async () => {
    const journal = await start()
    await rm(dir, { recursive: true })
    await writeFile(dir, 'a file')
    journal.log.reserved(ad(1), 1)
    await journal.flush()
    expect(errors.map(reasonOf)).toEqual([`something with that name already exists: ${dir}`])
    expect(journal.status().droppedRecords).toBe(1)
    await rm(dir)
    journal.log.reserved(ad(2), 1)
    await journal.flush()
    expect((await start()).recovered.open).toEqual([ad(2)])
  })

  test('other files in the directory are left alone, and another format version is not guessed at', async () => {
    await writeFile(join(dir, 'notes.txt'), 'mine')
    await writeFile(join(dir, 'ledger-000000000001.journal'), Buffer.alloc(640, 7))
    const journal = await start()
    expect(journal.recovered).toMatchObject({ open: [], damagedRecords: 10 })
    await journal.sweep(1)
    expect(await readdir(dir)).toEqual(['notes.txt'])
  })
})
