// The doctor's checks of the database: version, permissions, connection, clock, disk space and stored settings. They
// only read: nothing is migrated or written.

import type { SourceRefusal } from '../../count/tracking/refusals.ts'
import { refusedSources } from '../../count/tracking/source-outcomes.ts'
import { selectVerifiedAt } from '../../count/verify/verify.ts'
import { takesPasskeys } from '../../kernel/address.ts'
import type { Config } from '../../platform/config.ts'
import { type Database, type Db, databaseClockMs, openDatabase, sqlState } from '../../platform/database.ts'
import { AGREED, agreedSetting } from '../../platform/deployment.ts'
import { missingFixes } from '../../platform/embedded-postgres/binaries.ts'
import { DATABASE } from '../../platform/embedded-postgres/server.ts'
import { runningUrl } from '../../platform/embedded-postgres/socket.ts'
import { selectSchema } from '../../platform/migrate.ts'
import { selectWentBack } from '../../platform/rewind-queries.ts'
import { mustKeepSessions } from '../../platform/session.ts'
import { sandboxClockOf } from '../../sandbox/open.ts'
import { connectionsOf } from '../../service/connections.ts'
import { error, type Finding, ok, upper, warning, wordsOf } from './finding.ts'
import { freeBytes, ROOM_ADVICE, roomFinding } from './machine.ts'
import {
  countPasskeyPeople,
  type Facts,
  fillTemporaryTable,
  hasTables,
  type Sizes,
  selectDuplicates,
  selectFacts,
  selectSizes,
} from './queries.ts'

const OLDEST_VERSION = 150_000
const CLOCK_NOTICE_MS = 1_000
/** The service does not trust a larger step either. */
const CLOCK_WRONG_MS = 60_000

export async function databaseFindings(config: Config): Promise<Finding[]> {
  const url = config.DATABASE_URL ?? (await runningUrl(config.DATA_DIR, DATABASE))
  if (url === null)
    return [ok('database', 'The embedded PostgreSQL is not running; it starts and stops with the service.')]
  const db = openDatabase({ url, maxConnections: 1, name: 'marquee command', onError: () => {} })
  try {
    return await looked(url, db, config)
  } catch (failure) {
    return [
      error(
        'database',
        `Cannot use it: ${wordsOf(failure)}`,
        'Check the host, port, name, user and password in DATABASE_URL, and that PostgreSQL is running and accepts this machine.',
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
        'Set pool_mode = session, or point DATABASE_URL past the pooler.',
      ),
    ]
  }
  const facts = await selectFacts(db)
  return [
    versionFinding(facts, config),
    ok('pooler', 'Connections keep their session.'),
    rightsFinding(facts),
    ...(await alone('clock', async () => [clockFinding(await apartMsOf(db))])),
    ...durabilityFindings(facts, (await sandboxClockOf(url)) !== null),
    connectionsFinding(facts, config),
    await roomOf(db, facts),
    ...(await contentFindings(db, config)),
  ]
}

/** What is in the tables is looked at only if they are those of this version. */
async function contentFindings(db: Db, config: Config): Promise<Finding[]> {
  const tables = await alone('tables', () => tableFindings(db))
  if (tables.some(({ severity }) => severity !== 'ok')) return tables
  return [
    ...tables,
    ...(await alone('figures', async () => sizeFindings(await selectSizes(db)))),
    ...(await alone('deployment', () => agreedFindings(db, config))),
    ...(await alone('external ids', () => duplicateFindings(db))),
    ...(await alone('passkeys', () => passkeyFindings(db, config))),
    ...(await alone('impressions', () => refusalFindings(db))),
    ...(await alone('database history', () => historyFindings(db))),
  ]
}

async function tableFindings(db: Db): Promise<Finding[]> {
  const { isEmpty, missing, refusal } = await selectSchema(db)
  if (refusal) {
    const [says, advice] = refusal.split('; ')
    return [error('tables', `${upper(says!)}.`, `${upper(advice!)}.`)]
  }
  if (isEmpty) return []
  if (missing.length === 0) return [ok('tables', 'They are those of this version.')]
  const lacks = missing.length === 1 ? 'one migration is' : `${missing.length} migrations are`
  return [
    warning(
      'tables',
      `They are from an older version: ${lacks} missing.`,
      'The next start of the service brings them up to date, and so does marquee migrate. Make a backup first.',
    ),
  ]
}

const NOT_ALLOWED = '42501'

/** One failing check does not hide the others. Missing permissions have a finding of their own. */
async function alone(check: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look()
  } catch (failure) {
    if (sqlState(failure) === NOT_ALLOWED) return []
    return [error(check, `Cannot check it: ${wordsOf(failure)}`, 'See the PostgreSQL log for the reason.')]
  }
}

/** No size is a problem; operators just want to know. */
function sizeFindings(sizes: Sizes | null): Finding[] {
  if (sizes === null) return []
  const { events, figures, packed } = sizes
  const says = `Events take ${megabytes(events)}, figures ${megabytes(figures)} (${megabytes(packed)} of it packed).`
  return [ok('figures', says)]
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

function versionFinding({ version, version_text, encoding }: Facts, config: Config): Finding {
  if (version < OLDEST_VERSION)
    return error('database version', `PostgreSQL ${version_text} is too old.`, 'Upgrade it to 15 or newer.')
  if (encoding !== 'UTF8')
    return error(
      'database version',
      `The database encoding is ${encoding}.`,
      "Create one with: create database … encoding 'UTF8' template template0",
    )
  const isEmbedded = config.DATABASE_URL === null
  const missing = isEmbedded && missingFixes(`${Math.floor(version / 10_000)}.${version % 10_000}`)
  if (missing) return warning('database version', missing.text, missing.advice)
  return ok('database version', `PostgreSQL ${version_text}, UTF8`)
}

function rightsFinding({ may_create, may_read, is_read_only, user_name }: Facts): Finding {
  if (is_read_only)
    return error(
      'database rights',
      'The database is read-only: a replica, or configured so.',
      'Point DATABASE_URL at the primary.',
    )
  if (!may_create || !may_read)
    return error(
      'database rights',
      `User ${user_name} may not create tables, or may not read the existing ones.`,
      `As its owner, run: alter database … owner to ${user_name}; grant create on schema public to ${user_name}`,
    )
  return ok('database rights', `User ${user_name} may read, write and create.`)
}

async function apartMsOf(db: Db): Promise<number> {
  const before = Date.now()
  const theirs = await databaseClockMs(db)
  return Math.round(theirs - (before + Date.now()) / 2)
}

export function clockFinding(apartMs: number): Finding {
  const says = `The clocks of this machine and the database differ by ${Math.abs(apartMs)} ms.`
  const advice = 'Synchronise both machines by NTP (timedatectl set-ntp true).'
  if (Math.abs(apartMs) > CLOCK_WRONG_MS) return error('clock', says, advice)
  return Math.abs(apartMs) > CLOCK_NOTICE_MS ? warning('clock', says, advice) : ok('clock', says)
}

function durabilityFindings({ fsync, commits }: Facts, isSandbox: boolean): Finding[] {
  if (fsync === 'on' && commits !== 'off') return []
  if (isSandbox)
    return [ok('durability', 'A sandbox does not wait for the disk: a crash may cost its last moments.')]
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
  const says = `The database allows ${most_connections} connections; these settings may open ${wanted}.`
  return wanted > most_connections
    ? error('connections', says, 'Raise max_connections, or lower DATABASE_POOL, READ_POOL or PROCESSES.')
    : ok('connections', `${says} Add those of any other processes.`)
}

const DISK_FULL = '53100'

/**
 * PostgreSQL does not say how full its disk is; if the disk is on this machine, we can check. Otherwise it has to take
 * a little, which is rolled back.
 */
async function roomOf(db: Database, { folder, is_here, is_read_only, bytes }: Facts): Promise<Finding> {
  const free = folder !== null && is_here ? await freeBytes(folder).catch(() => null) : null
  const size = `The database takes ${(bytes / 1_000_000_000).toFixed(2)} GB.`
  if (free === null) {
    const failure = is_read_only ? null : await takesALittle(db)
    if (sqlState(failure) === DISK_FULL)
      return error('database room', `${size} Its disk is full.`, ROOM_ADVICE)
    return ok('database room', `${size} Its disk is not visible from here: monitor it on its own machine.`)
  }
  const room = roomFinding('database room', folder!, free)
  return { ...room, says: `${size} ${room.says}` }
}

/** The error, if it does not. */
async function takesALittle(db: Database): Promise<unknown> {
  return db.transaction(fillTemporaryTable).then(
    () => null,
    (failure: unknown) => failure,
  )
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
          `It is "${config[name]}" here but "${kept}" in this deployment.`,
          `Set ${name}=${kept}. To change it for all, stop every process and run: marquee deployment set ${name} ${config[name]}`,
        ),
      )
  }
  return found.length > 0 ? found : [ok('deployment', 'Time zone and currency match the deployment.')]
}

const DUPLICATES_SHOWN = 5

/** An upsert by such an id is refused as ambiguous. */
async function duplicateFindings(db: Db): Promise<Finding[]> {
  if (!(await hasTables(db))) return []
  const found = await selectDuplicates(db, DUPLICATES_SHOWN + 1)
  if (found.length === 0) return [ok('external ids', 'No externalId is used twice under one parent.')]
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

/** If browsers keep no passkeys there, people who have one cannot sign in by email. */
async function passkeyFindings(db: Db, { PUBLIC_URL, REQUIRE_PASSKEY }: Config): Promise<Finding[]> {
  if (!(await hasTables(db))) return []
  const people = await countPasskeyPeople(db)
  const { hostname } = new URL(PUBLIC_URL)
  const have = people === 1 ? '1 person has' : `${people} people have`
  if (takesPasskeys(PUBLIC_URL)) {
    const needs = REQUIRE_PASSKEY === 'off' ? 'nobody' : REQUIRE_PASSKEY
    return [ok('passkeys', `${have} one for ${hostname}; REQUIRE_PASSKEY demands one of ${needs}.`)]
  }
  if (people === 0) return [ok('passkeys', `Browsers keep none for ${PUBLIC_URL}: nobody can register one.`)]
  return [
    error(
      'passkeys',
      `${have} one, but browsers offer none at ${PUBLIC_URL}: they cannot sign in by email.`,
      'Set PUBLIC_URL to the https address with the host name under which they were registered.',
    ),
  ]
}

const REMEDIES: Partial<Record<SourceRefusal, string>> = {
  other_visitor:
    'The visitor of an ad and that of its pixel have different addresses: TRUST_PROXY and the proxies must name the whole chain in front (docs/operating.md, "Behind a proxy").',
  foreign_domain:
    'Ads are shown on another domain than that of the site: correct the domain, or find who uses its key.',
}

/** What happened within the last hour; a database that is not in use says nothing. */
async function refusalFindings(db: Db): Promise<Finding[]> {
  const found = await refusedSources(db, await databaseClockMs(db))
  if (found.length === 0) return [ok('impressions', 'No source has many refused.')]
  return found.map(({ source, reason, refused, of }) => {
    const says = `${refused} of ${of} impressions of the last hour at "${source}" were not counted: ${reason}.`
    return warning('impressions', says, REMEDIES[reason] ?? 'See docs/runbook.md#marqueeimpressionsrefused.')
  })
}

/** Warns about a database that went back in time and was not verified since. */
async function historyFindings(db: Db): Promise<Finding[]> {
  if (!(await hasTables(db))) return []
  const wentBack = await selectWentBack(db)
  if (wentBack === null) return []
  const verifiedAt = await selectVerifiedAt(db)
  if (verifiedAt !== null && verifiedAt > wentBack.at) return []
  return [
    warning(
      'database history',
      `The database went back in time or was replaced at ${wentBack.at.toISOString()}: ${wentBack.fault}.`,
      'The processes have restarted by themselves. Run: marquee verify',
    ),
  ]
}
