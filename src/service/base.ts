// What every part of the service stands on: the migrated database, the clock, the watch over the database's history,
// metrics, traces and mail. A sandbox puts its own clock, randomness and inbox in their place.

import { mustBeWritable } from '../platform/data-dir.ts'
import { type Database, databaseClockMs } from '../platform/database.ts'
import { agreeOnSettings } from '../platform/deployment.ts'
import { migrateJobs } from '../platform/job-queue.ts'
import { createMailer, outboxOf } from '../platform/mail.ts'
import { createMetrics, type Metrics } from '../platform/metrics.ts'
import { migrate, mustBeMigrated } from '../platform/migrate.ts'
import { startRewindCheck } from '../platform/rewind-check.ts'
import { mustKeepSessions } from '../platform/session.ts'
import { createSlowStatements } from '../platform/slow-statements.ts'
import { startSteadyClock } from '../platform/steady-clock.ts'
import { createTraces } from '../platform/traces.ts'
import { ensureNumbering } from '../report/export/numbering.ts'
import { openSandbox } from '../sandbox/open.ts'
import { databaseOf } from './database.ts'
import { openDatabases } from './databases.ts'
import { firstStart } from './first-start.ts'
import { runs } from './roles.ts'
import { composeSandbox } from './sandbox-part.ts'
import type { ServiceOptions } from './service.ts'
import type { Life } from './stop.ts'

const SLOW_HELP = 'Database statements that took at least SLOW_STATEMENT_MS.'

export type Base = Awaited<ReturnType<typeof openBase>>

export async function openBase(options: ServiceOptions, life: Life) {
  const { config, log, reopen = () => Promise.resolve() } = options
  const stored = await openStorage(options, life)
  const { db, clock, sandbox, slow, databases } = stored
  const firstCredentials = runs(config.ROLES, 'management') ? await firstStart(db, config, clock) : null
  const metrics = createMetrics()
  const rewindCheck = await startRewindCheck({
    db,
    log,
    metrics,
    everyMs: runs(config.ROLES, 'ads') ? 1_000 : 5_000,
    async prepare() {
      // Another process emptied the sandbox: ids start again, and so must this process.
      if (sandbox) await reopen({ emptied: false })
      await mustBeMigrated(db)
      await agree(db, options)
      await migrateJobs(stored.databaseUrl, log)
    },
  })
  life.closers.push(() => rewindCheck.stop())
  databases.measure(metrics)
  metrics.reading('marquee_slow_statements_total', SLOW_HELP, slow.count)
  if (options.member) metrics.registry.setDefaultLabels({ process: options.member.place.split(' ')[0]! })
  const traces = tracesOf(options, metrics)
  life.closers.push(() => traces.stop())
  const smtpUrl = config.SMTP_URL
  const outboxDir = outboxOf(config.DATA_DIR)
  const mailer = createMailer({ smtpUrl, from: config.MAIL_FROM, outboxDir, clock, log, metrics })
  life.closers.push(() => mailer.close())
  const inSandbox = sandbox && composeSandbox(sandbox, { db, config, log, mailer, reopen })
  life.closers.push(() => inSandbox?.stop())
  return {
    ...stored,
    config,
    log,
    metrics,
    rewindCheck,
    traces,
    firstCredentials,
    mail: inSandbox?.mailer ?? mailer,
    sandbox: inSandbox,
    random: sandbox?.random ?? options.random,
    onWritten: inSandbox?.written,
  }
}

async function openStorage(options: ServiceOptions, life: Life) {
  const { config, log } = options
  await mustBeWritable(config.DATA_DIR)
  const database = await databaseOf(options)
  life.stopDatabase = database.stop
  const databaseUrl = database.url
  await mustKeepSessions(databaseUrl)
  const sandbox = await openSandbox(databaseUrl, config, options.clock.nowMs())
  await migrate(databaseUrl)
  await sandbox?.prepare(config.DATA_DIR)
  const slow = createSlowStatements(log, config.SLOW_STATEMENT_MS)
  const databases = openDatabases({ config, url: databaseUrl, slow, log })
  life.closers.push(() => databases.close())
  const { db, control } = databases
  const databaseMs = async () => options.clock.databaseMs?.() ?? databaseClockMs(control)
  const clock = sandbox?.clock ?? (await startSteadyClock({ machine: options.clock, databaseMs, log }))
  life.closers.push(() => clock.stop())
  await agree(db, options)
  return { databaseUrl, databases, db, control, slow, clock, sandbox }
}

/** The database serves one deployment, and the numbers of its exported events continue. */
async function agree(db: Database, { config }: ServiceOptions): Promise<void> {
  await agreeOnSettings(db, config)
  await ensureNumbering(db)
}

function tracesOf({ config, log }: ServiceOptions, metrics: Metrics) {
  return createTraces({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    service: config.OTEL_SERVICE_NAME,
    roles: config.ROLES,
    log,
    metrics,
  })
}
