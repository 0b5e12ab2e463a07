// The composition root: config → platform → parts, in this order. roles.ts says which parts run; management.ts, ads.ts
// and background.ts say what each consists of. Nothing else wires anything.

import { join } from 'node:path'
import { startFolding } from '../count/fold/folding.ts'
import { createApi } from '../http/api.ts'
import { countStopped, createCallBounds } from '../http/call-bounds.ts'
import { createFairPools } from '../http/fair-pools.ts'
import type { DataRoute } from '../http/lane/data-plane.ts'
import { traceSome } from '../http/lane/traced.ts'
import { createMethodTable } from '../http/methods.ts'
import { createRateLimiter } from '../http/rate-limit.ts'
import { createServer } from '../http/server.ts'
import { alertRaised } from '../identity/alerts.ts'
import { createCredentialCheck } from '../identity/credentials.ts'
import { countRefusedBodies, createFailures } from '../identity/failures.ts'
import { createGate, pairOwnerBy } from '../identity/gate.ts'
import { createOrigins } from '../identity/origins.ts'
import { sessionCookieFor } from '../identity/sessions/cookie.ts'
import { createSessions } from '../identity/sessions/sessions.ts'
import { calendarOf } from '../kernel/time/day.ts'
import { type Creatives, createCreatives } from '../manage/banners/creative/store.ts'
import { creativeFiles } from '../manage/banners/routes.ts'
import { createProposer } from '../manage/proposals/proposals.ts'
import { createSiteFiles } from '../manage/sources/site-files.ts'
import { rememberPublicUrl } from '../manage/sources/sources.ts'
import { SENT_EVENTS } from '../notify/webhooks/contract.ts'
import type { Config } from '../platform/config.ts'
import { mustBeWritable } from '../platform/data-dir.ts'
import { type Database, databaseClockMs } from '../platform/database.ts'
import { agreeOnSettings } from '../platform/deployment.ts'
import { migrateJobs } from '../platform/jobs.ts'
import type { Log } from '../platform/log.ts'
import { createMailer, outboxOf } from '../platform/mail.ts'
import { createMetrics } from '../platform/metrics.ts'
import { migrate, mustBeMigrated } from '../platform/migrate.ts'
import { startRewindCheck } from '../platform/rewind-check.ts'
import { mustKeepSessions } from '../platform/session.ts'
import { createSlowStatements } from '../platform/slow-statements.ts'
import { startSteadyClock } from '../platform/steady-clock.ts'
import { openStore, s3AccessOf } from '../platform/store/open.ts'
import { createTraces } from '../platform/traces.ts'
import { ensureNumbering } from '../report/export/numbering.ts'
import { createSpentToday } from '../report/figures/spent-today.ts'
import { openSandbox } from '../sandbox/open.ts'
import { adsElsewhere, noAds, startAds } from './ads.ts'
import { startBackground } from './background.ts'
import { databaseOf } from './database.ts'
import { openDatabases } from './databases.ts'
import { firstStart } from './first-start.ts'
import { startImages, watchImages } from './images.ts'
import { manage } from './management.ts'
import { OBJECTS } from './objects.ts'
import { operationRoutes } from './operations.ts'
import { adoptFor } from './processes/adopted.ts'
import { quotasOf } from './quotas.ts'
import { createReadiness } from './ready.ts'
import { createReopening } from './reopening.ts'
import { runs } from './roles.ts'
import { composeSandbox } from './sandbox.ts'
import type { Opened, Service, ServiceOptions } from './service.ts'
import { closeInTime, UNHURRIED } from './stop.ts'

const SLOW_HELP = 'Database statements that took at least SLOW_STATEMENT_MS.'

export type { Member, Service, ServiceOptions } from './service.ts'

export function createService(options: ServiceOptions): Promise<Service> {
  return options.config.SANDBOX ? createReopening(options, open) : open(options)
}

async function open(options: ServiceOptions): Promise<Opened> {
  const { config, log, checkAnswers = false } = options
  const closers: (() => unknown)[] = []
  let isStopping = false
  let stopDatabase: () => unknown = () => {}
  const stop = async () => {
    isStopping = true
    await closeInTime(closers, log)
    await stopDatabase()
  }
  try {
    return await compose()
  } catch (error) {
    await stop()
    throw error
  }

  async function compose(): Promise<Opened> {
    await mustBeWritable(config.DATA_DIR)
    const database = await databaseOf(options)
    stopDatabase = database.stop
    const databaseUrl = database.url
    await mustKeepSessions(databaseUrl)
    const sandbox = await openSandbox(databaseUrl, config, options.clock.nowMs())
    await migrate(databaseUrl)
    await sandbox?.prepare(config.DATA_DIR)
    const slow = createSlowStatements(log, config.SLOW_STATEMENT_MS)
    const databases = openDatabases({ config, url: databaseUrl, slow, log })
    closers.push(() => databases.close())
    const { db, reads, door, control } = databases
    const clock =
      sandbox?.clock ??
      (await startSteadyClock({
        machine: options.clock,
        databaseMs: async () => options.clock.databaseMs?.() ?? databaseClockMs(control),
        log,
      }))
    closers.push(() => clock.stop())
    await agreeOnSettings(db, config)
    await ensureNumbering(db)
    const firstCredentials = runs(config.ROLES, 'management') ? await firstStart(db, config, clock) : null
    await rememberPublicUrl(db, config.PUBLIC_URL, clock)

    const { member, reopen = () => Promise.resolve() } = options
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
        await agreeOnSettings(db, config)
        await ensureNumbering(db)
        await migrateJobs(databaseUrl, log)
      },
    })
    closers.push(() => rewindCheck.stop())
    databases.measure(metrics)
    metrics.reading('marquee_slow_statements_total', SLOW_HELP, slow.count)
    if (member) metrics.registry.setDefaultLabels({ process: member.place.split(' ')[0]! })
    const traces = createTraces({
      endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: config.OTEL_EXPORTER_OTLP_HEADERS,
      service: config.OTEL_SERVICE_NAME,
      roles: config.ROLES,
      log,
      metrics,
    })
    closers.push(() => traces.stop())
    const mailer = createMailer({
      smtpUrl: config.SMTP_URL,
      from: config.MAIL_FROM,
      outboxDir: outboxOf(config.DATA_DIR),
      clock,
      log,
      metrics,
    })
    closers.push(() => mailer.close())
    const inSandbox = sandbox && composeSandbox(sandbox, { db, config, log, mailer, reopen })
    closers.push(() => inSandbox?.stop())
    const mail = inSandbox?.mailer ?? mailer
    const stopped = countStopped(metrics)
    const methods = createMethodTable()
    const dataRoutes: DataRoute[] = []
    const credentials = createCredentialCheck(door, clock)
    const fastify = createServer({
      log,
      metrics,
      trustProxy: config.TRUST_PROXY,
      publicUrl: config.PUBLIC_URL,
      methodsOf: methods.methodsOf,
      keepAliveMs: config.KEEP_ALIVE * 1000,
      dataRoutes,
      pairOwner: pairOwnerBy(credentials),
      stopped,
      traces,
    })
    fastify.addHook('onRoute', route => {
      for (const method of [route.method].flat()) methods.add(method, route.url)
    })

    const limiter = createRateLimiter({ rate: config.RATE_LIMIT, burst: config.RATE_BURST, clock })
    const cookie = sessionCookieFor(config.PUBLIC_URL)
    const failures = createFailures(config.FAILURE_LIMIT, clock)
    countRefusedBodies(fastify, failures)
    const requirePasskey = config.REQUIRE_PASSKEY
    const sessions = createSessions({ db: door, cookie, failures, clock, credentials, requirePasskey })
    const origins = createOrigins(door, clock)
    const gate = createGate({
      credentials,
      sessions,
      origins,
      limiter,
      failures,
      allowQueryCredentials: config.ALLOW_QUERY_CREDENTIALS,
      publicUrl: config.PUBLIC_URL,
    })
    const fairPools = createFairPools({ atOnce: config.CALLS_AT_ONCE, metrics })
    databases.addTo(fairPools)
    const apiOptions = {
      fastify,
      db,
      reads,
      fairPools,
      boundCall: createCallBounds(config.CALL_TIMEOUT * 1000, stopped),
      gate,
      publicUrl: config.PUBLIC_URL,
      allowQueryCredentials: config.ALLOW_QUERY_CREDENTIALS,
      ...quotasOf(config),
      timeZone: config.TIMEZONE,
      alert: alertRaised,
      proposer: createProposer({ clock, publicUrl: config.PUBLIC_URL, timeZone: config.TIMEZONE }),
      checkAnswers,
    }
    const api = createApi(apiOptions)

    const campaigns = {
      clock,
      defaultCpmMicros: config.DEFAULT_CPM,
      calendar: calendarOf(config.TIMEZONE),
      spentToday: createSpentToday({ clock, timeZone: config.TIMEZONE }),
    }
    const images = startImages(watchImages(log, metrics))
    closers.push(() => images.stop())
    const creatives = {
      clock,
      files: await openCreatives(db, config, log),
      quotaBytes: config.UPLOAD_QUOTA * 1_000_000,
      quotaFiles: config.UPLOAD_FILES,
      inspect: images.inspect,
    }
    const random = sandbox?.random ?? options.random
    const base = {
      config,
      db,
      databaseUrl,
      slow,
      clock,
      random,
      log,
      metrics,
      rewindCheck,
      control,
      fairPools,
      onWritten: inSandbox?.written,
    }
    rewindCheck.onWentBack(() => credentials.forgetAll())
    rewindCheck.onWentBack(() => sessions.forgetAll())

    if (runs(config.ROLES, 'management'))
      await manage(api, apiOptions, {
        ...base,
        mail,
        credentials,
        sessions,
        origins,
        cookie,
        campaigns,
        creatives,
        makeLogo: images.logo,
        siteFiles: options.siteFiles ?? createSiteFiles({ allowPrivate: config.ALLOW_PRIVATE_CREATIVES }),
      })
    inSandbox?.bind(api, campaigns, sessions)
    if (runs(config.ROLES, 'images')) creativeFiles(fastify, creatives)
    const delivers = runs(config.ROLES, 'ads')
    const manages = runs(config.ROLES, 'management')
    const delivery = delivers
      ? await startAds(api, dataRoutes, base, closers)
      : manages
        ? await adsElsewhere(api, base, closers)
        : noAds()
    inSandbox?.deliver(dataRoutes, delivery)
    traceSome(dataRoutes, traces, config.TRACE_ADS)
    clock.onStepBack(() => delivery.restart())
    const folding = runs(config.ROLES, 'folding') ? startFolding({ db, clock, log, metrics }) : null
    closers.push(() => folding?.stop())
    const readiness = createReadiness({
      roles: config.ROLES,
      place: member?.place ?? null,
      db: control,
      delivery,
      rewindCheck,
      isStopping: () => isStopping,
    })
    operationRoutes(api, {
      metrics: async () => (member ? member.gather(metrics.registry) : metrics.registry.metrics()),
      metricsToken: config.METRICS_TOKEN,
      trustProxy: config.TRUST_PROXY,
      port: config.PORT,
      sent: SENT_EVENTS,
      objects: OBJECTS,
      readiness: async () => [...(await readiness()), ...(member?.others() ?? [])],
      notes: () => folding?.notes() ?? [],
    })
    await migrateJobs(databaseUrl, log)
    if (runs(config.ROLES, 'jobs'))
      await startBackground({ ...base, traces, mail, campaigns, creatives }, closers)

    // Last in, so that it stops first: nothing new arrives while the parts stop.
    const adopted = adoptFor(fastify.server)
    const closeServer = async () => {
      await fastify.close()
      await adopted.gone()
    }
    closers.push(closeServer)

    return {
      api,
      routes: methods.routes,
      db,
      door,
      delivery,
      firstCredentials,
      startDraining: () => {
        isStopping = true
      },
      databaseUrl,
      registry: metrics.registry,
      readiness,
      adopt: adopted.adopt,
      listen: (where = { port: config.PORT, host: config.HOST }) => fastify.listen(where),
      stop,
      async closeParts() {
        closers.splice(closers.indexOf(closeServer), 1)
        fastify.server.closeIdleConnections()
        await closeInTime(closers, log, UNHURRIED)
      },
      closeIdle: () => fastify.server.closeIdleConnections(),
      closeServer,
    }
  }
}

/** Images that an earlier version left on this machine's disk are imported before the first request. */
async function openCreatives(db: Database, config: Config, log: Log): Promise<Creatives> {
  const files = createCreatives({
    db,
    dir: join(config.DATA_DIR, 'creatives'),
    store: config.CREATIVES_URL ? openStore(config.CREATIVES_URL, s3AccessOf(config)) : null,
  })
  const taken = await files.takeOver()
  if (taken > 0) log.info({ images: taken }, 'imported images of an earlier version')
  return files
}
