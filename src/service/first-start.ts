// The first start of an installation: a default app with its super pair, a default exchange and a default site,
// so that the service can be used at once. The pair is kept in $DATA_DIR/credentials.json, and printed once to a terminal.

import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createApp, listApps } from '../access/apps.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Config } from '../platform/config.ts'
import { type Database, lockInTransaction } from '../platform/database.ts'
import { LOCKS } from '../platform/locks.ts'
import { addSource, bidUrl } from '../sources/sources.ts'

export interface FirstCredentials {
  superkey: string
  supertoken: string
  bidUrl: string
  siteKey: string
}

/** Null when the installation has an app already. */
export async function firstStart(
  db: Database,
  config: Config,
  clock: Clock,
): Promise<FirstCredentials | null> {
  return db.transaction(async tx => {
    await lockInTransaction(tx, LOCKS.firstStart)
    if ((await listApps(tx)).length > 0) return null
    const { pair } = await createApp(tx, { name: 'default', passcode: true, nopasscode: true }, clock)
    const exchange = await addSource(tx, { kind: 'exchange', name: 'default-exchange' }, clock)
    const site = await addSource(tx, { kind: 'site', name: 'default-site', domain: 'localhost' }, clock)
    const credentials = {
      superkey: pair.key,
      supertoken: pair.token,
      bidUrl: bidUrl(config.PUBLIC_URL, exchange),
      siteKey: site.key,
    }
    // Before the commit: a crash in between leaves a file that the next start overwrites, never a pair that nobody knows.
    await writeCredentials(config.DATA_DIR, credentials)
    return credentials
  })
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
