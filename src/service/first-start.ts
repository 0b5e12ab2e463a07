// The first start of an installation creates a default app with its super pair, a default exchange and a default site,
// so that the service can be used at once. The pair is kept in $DATA_DIR/credentials.json and printed once to a
// terminal.

import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createApp, listApps } from '../identity/apps.ts'
import type { Clock } from '../kernel/time/clock.ts'
import { addSource, BY_SERVICE, bidUrl, listSources, renewServerKey } from '../manage/sources/sources.ts'
import type { Config } from '../platform/config.ts'
import { type Database, lockInTransaction } from '../platform/database.ts'
import { LOCKS } from '../platform/locks.ts'

export interface FirstCredentials {
  superkey: string
  supertoken: string
  bidUrl: string
  siteKey: string
  serverKey: string
}

/** Null if the installation already has an app. Only for a process that manages: others have no use for the pair. */
export async function firstStart(
  db: Database,
  config: Config,
  clock: Clock,
): Promise<FirstCredentials | null> {
  const first = await makeCredentials(db, config, clock)
  if (first === null) await completeCredentials(db, config.DATA_DIR, clock)
  return first
}

function makeCredentials(db: Database, config: Config, clock: Clock): Promise<FirstCredentials | null> {
  return db.transaction(async tx => {
    await lockInTransaction(tx, LOCKS.firstStart)
    if ((await listApps(tx)).length > 0) return null
    const { pair } = await createApp(
      tx,
      { name: 'default', passcode: true, nopasscode: true, sources: true },
      clock,
    )
    const exchange = await addSource(tx, { kind: 'exchange', name: 'default-exchange' }, clock, BY_SERVICE)
    const site = await addSource(
      tx,
      { kind: 'site', name: 'default-site', domain: 'localhost' },
      clock,
      BY_SERVICE,
    )
    const credentials = {
      superkey: pair.key,
      supertoken: pair.token,
      bidUrl: bidUrl(config.PUBLIC_URL, exchange),
      siteKey: site.key,
      serverKey: site.serverKey!,
    }
    // Written before the commit: after a crash in between, the next start overwrites the file, and no pair is ever
    // unknown.
    await writeCredentials(config.DATA_DIR, credentials)
    return credentials
  })
}

/** Adds a server key for the site of the credentials, if the installation is older than server keys. */
export async function completeCredentials(db: Database, dataDir: string, clock: Clock): Promise<void> {
  const known = await readCredentials(dataDir)
  if (known === null) return
  await db.transaction(async tx => {
    await lockInTransaction(tx, LOCKS.firstStart)
    const site = (await listSources(tx)).find(({ kind, key }) => kind === 'site' && key === known.siteKey)
    if (!site || site.serverKeyHash !== null || site.revoked) return
    const { serverKey } = await renewServerKey(tx, site.name, clock, BY_SERVICE)
    await writeCredentials(dataDir, { ...known, serverKey: serverKey! })
  })
}

async function readCredentials(dataDir: string): Promise<FirstCredentials | null> {
  try {
    const known = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'))
    return typeof known?.siteKey === 'string' ? known : null
  } catch {
    // The operator may have moved the file to a safe place, or may keep something else there.
    return null
  }
}

async function writeCredentials(dataDir: string, credentials: FirstCredentials): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, 'credentials.json')
  const file = await open(`${path}.part`, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(credentials, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.part`, path)
}
