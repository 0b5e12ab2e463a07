// What the doctor finds at the database: version, rights, the way to it, its clock, its room, and what it is set to
// keep. It only looks: nothing is migrated, nothing is written.

import { DATABASE } from '../../embedded-postgres/server.ts'
import { runningUrl } from '../../embedded-postgres/socket.ts'
import type { Config } from '../../platform/config.ts'
import { type Database, type Db, databaseClockMs, openDatabase, sqlState } from '../../platform/database.ts'
import { AGREED, agreedSetting } from '../../platform/deployment.ts'
import { selectWentBack } from '../../platform/rewind-queries.ts'
import { mustKeepSessions } from '../../platform/session.ts'
import { connectionsOf } from '../../service/connections.ts'
import { selectVerifiedAt } from '../../stats/verify/verify.ts'
import { error, type Finding, ok, warning, wordsOf } from './finding.ts'
import { freeBytes, roomFinding } from './machine.ts'
import { type Facts, hasTables, type Sizes, selectDuplicates, selectFacts, selectSizes } from './queries.ts'

const OLDEST_VERSION = 150_000
const CLOCK_NOTICE_MS = 1_000
/** A step beyond it is not believed by the service either. */
const CLOCK_WRONG_MS = 60_000

export async function databaseFindings(config: Config): Promise<Finding[]> {
  const url = config.DATABASE_URL ?? (await runningUrl(config.DATA_DIR, DATABASE))
  if (url === null)
    return [ok('database', 'The embedded PostgreSQL is not running; it starts and ends with the service.')]
  const db = openDatabase({ url, maxConnections: 1, name: 'marquee command', onError: () => {} })
  try {
    return await looked(url, db, config)
  } catch (failure) {
    return [
      error(
        'database',
        `It cannot be used: ${wordsOf(failure)}`,
        'Check the host, port, name, user and password of DATABASE_URL, and whether PostgreSQL runs and lets this machine in.',
      ),
    ]
  } finally {
    await db.close()
  }
}

async function looked(url: string, db: Database, config: Config): Promise<Finding[]> {
  try {
    await mustKeepSessions(url)
  } catch (failure) {
    if (!wordsOf(failure).includes('pooler')) throw failure
    return [
      error(
        'pooler',
        `${wordsOf(failure)}.`,
        'Set pool_mode = session, or leave the pooler out of DATABASE_URL.',
      ),
    ]
  }
  const facts = await selectFacts(db)
  return [
    versionFinding(facts),
    ok('pooler', 'A connection keeps its session.'),
    rightsFinding(facts),
    ...(await alone('clock', async () => [clockFinding(await apartMsOf(db))])),
    ...durabilityFindings(facts),
    connectionsFinding(facts, config),
    await roomOf(facts),
    ...(await alone('figures', async () => sizeFindings(await selectSizes(db)))),
    ...(await alone('deployment', () => agreedFindings(db, config))),
    ...(await alone('external ids', () => duplicateFindings(db))),
    ...(await alone('database history', () => historyFindings(db))),
  ]
}

const NOT_ALLOWED = '42501'

/** What cannot be looked at hides nothing else. That rights are missing is a finding of its own. */
async function alone(check: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look()
  } catch (failure) {
    if (sqlState(failure) === NOT_ALLOWED) return []
    return [
      error(
        check,
        `It cannot be looked at: ${wordsOf(failure)}`,
        'See the log of PostgreSQL for the reason.',
      ),
    ]
  }
}

/** Nothing is wrong with any size; operators want to know. */
function sizeFindings(sizes: Sizes | null): Finding[] {
  if (sizes === null) return []
  const { events, figures, packed } = sizes
  const says = `Events take ${megabytes(events)}, figures ${megabytes(figures)}, of which ${megabytes(packed)} are packed.`
  return [ok('figures', says)]
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

function versionFinding({ version, version_text, encoding }: Facts): Finding {
  if (version < OLDEST_VERSION)
    return error('database version', `PostgreSQL ${version_text} is too old.`, 'Upgrade it to 15 or newer.')
  if (encoding !== 'UTF8')
    return error(
      'database version',
      `The database has the encoding ${encoding}.`,
      "Create one with: create database … encoding 'UTF8' template template0",
    )
  return ok('database version', `PostgreSQL ${version_text}, UTF8`)
}

function rightsFinding({ may_create, may_read, is_read_only, user_name }: Facts): Finding {
  if (is_read_only)
    return error(
      'database rights',
      'The database is read-only: a replica, or set to be.',
      'Point DATABASE_URL at the primary.',
    )
  if (!may_create || !may_read)
    return error(
      'database rights',
      `The user ${user_name} may not create tables, or may not read the existing ones.`,
      `Run as its owner: alter database … owner to ${user_name}; grant create on schema public to ${user_name}`,
    )
  return ok('database rights', `The user ${user_name} may read, write and create.`)
}

async function apartMsOf(db: Db): Promise<number> {
  const before = Date.now()
  const theirs = await databaseClockMs(db)
  return Math.round(theirs - (before + Date.now()) / 2)
}

export function clockFinding(apartMs: number): Finding {
  const says = `The clocks of this machine and of the database are ${Math.abs(apartMs)} ms apart.`
  const advice = 'Keep the time of both machines by NTP (timedatectl set-ntp true).'
  if (Math.abs(apartMs) > CLOCK_WRONG_MS) return error('clock', says, advice)
  return Math.abs(apartMs) > CLOCK_NOTICE_MS ? warning('clock', says, advice) : ok('clock', says)
}

function durabilityFindings({ fsync, commits }: Facts): Finding[] {
  if (fsync === 'on' && commits !== 'off') return []
  return [
    error(
      'durability',
      'The database confirms writes that it may still lose: fsync or synchronous_commit is off.',
      'Set both to on in postgresql.conf.',
    ),
  ]
}

function connectionsFinding({ most_connections }: Facts, config: Config): Finding {
  const wanted = config.PROCESSES * connectionsOf(config)
  const says = `The database takes ${most_connections} connections; this process may open ${wanted}.`
  return wanted > most_connections
    ? error('connections', says, 'Raise max_connections, or lower DATABASE_POOL, READ_POOL or PROCESSES.')
    : ok('connections', `${says} Add up those of all processes.`)
}

/** PostgreSQL does not say how full its disk is; if the disk is on this machine, we can look. */
async function roomOf({ folder, is_here, bytes }: Facts): Promise<Finding> {
  const free = folder !== null && is_here ? await freeBytes(folder).catch(() => null) : null
  const size = `The database has ${(bytes / 1_000_000_000).toFixed(2)} GB.`
  if (free === null)
    return ok('database room', `${size} Its disk cannot be seen from here: watch it on its own machine.`)
  const room = roomFinding('database room', folder!, free)
  return { ...room, says: `${size} ${room.says}` }
}

async function agreedFindings(db: Db, config: Config): Promise<Finding[]> {
  if (!(await hasTables(db)))
    return [ok('deployment', 'The database is empty: the first start creates its tables.')]
  const found: Finding[] = []
  for (const name of AGREED) {
    const kept = await agreedSetting(db, name)
    if (kept !== null && kept !== config[name])
      found.push(
        error(
          name,
          `It is "${config[name]}" here, but "${kept}" in this deployment.`,
          `Set ${name}=${kept}; or, to change it for all, stop every process and run: marquee deployment set ${name} ${config[name]}`,
        ),
      )
  }
  return found.length > 0 ? found : [ok('deployment', 'Time zone and currency are those of the deployment.')]
}

const DUPLICATES_SHOWN = 5

/** An upsert by such an id is refused, because it cannot know which one is meant. */
async function duplicateFindings(db: Db): Promise<Finding[]> {
  if (!(await hasTables(db))) return []
  const found = await selectDuplicates(db, DUPLICATES_SHOWN + 1)
  if (found.length === 0) return [ok('external ids', 'No externalId stands for two things of one parent.')]
  const shown = found
    .slice(0, DUPLICATES_SHOWN)
    .map(({ noun, external_id, ids }) => `${noun}s ${ids.join(', ')} share ${JSON.stringify(external_id)}`)
  const more = found.length > DUPLICATES_SHOWN ? '; and more' : ''
  return [
    warning(
      'external ids',
      `${shown.join('; ')}${more}.`,
      'PUT …/by-external/… refuses these (409): delete all but one of each, or change their externalId.',
    ),
  ]
}

/** A database that went back in time, and has not been verified since. */
async function historyFindings(db: Db): Promise<Finding[]> {
  if (!(await hasTables(db))) return []
  const wentBack = await selectWentBack(db)
  if (wentBack === null) return []
  const verifiedAt = await selectVerifiedAt(db)
  if (verifiedAt !== null && verifiedAt > wentBack.at) return []
  return [
    warning(
      'database history',
      `The database went back in time, or was replaced, at ${wentBack.at.toISOString()}: ${wentBack.fault}.`,
      'The processes have started anew by themselves. Run: marquee verify',
    ),
  ]
}
