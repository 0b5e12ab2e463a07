// The composition root: config → platform → features, in sight and in order. Nothing else wires anything.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCredentialCheck } from './access/credentials.ts'
import { createGate } from './access/gate.ts'
import { sweepAccess } from './access/sweep.ts'
import { createInspections } from './banners/inspections.ts'
import { creativeLimits } from './banners/limits.ts'
import { REVIEW_TASK, reviewTask, sweepReviews } from './banners/review.ts'
import { bannerRoutes, creativeFiles, uploadRoutes } from './banners/routes.ts'
import { campaignRoutes } from './campaigns/routes.ts'
import { consolePages } from './console/pages.ts'
import { consoleRoutes } from './console/routes.ts'
import { createSessions, sweepSessions } from './console/sessions.ts'
import { startCounting } from './counting.ts'
import { customerRoutes } from './customers/routes.ts'
import { createDelivery, type Delivery } from './delivery/delivery.ts'
import { deliveryRoutes } from './delivery/routes.ts'
import { type FirstCredentials, firstStart } from './first-start.ts'
import { issueRoutes } from './issues/routes.ts'
import type { Clock } from './kernel/clock.ts'
import { calendarOf } from './kernel/day.ts'
import { findPersona } from './personas/personas.ts'
import { personaRoutes } from './personas/routes.ts'
import type { Config } from './platform/config.ts'
import { type Database, isAlive, openDatabase } from './platform/database.ts'
import { type Api, createApi } from './platform/http/api.ts'
import type { DataRoute } from './platform/http/data-plane.ts'
import { docsPage } from './platform/http/docs-page.ts'
import { createMethodTable } from './platform/http/methods.ts'
import { operationRoutes } from './platform/http/operations.ts'
import { createRateLimiter } from './platform/http/rate-limit.ts'
import { createServer } from './platform/http/server.ts'
import { migrateJobs, startJobs } from './platform/jobs.ts'
import type { Log } from './platform/log.ts'
import { createMailer } from './platform/mail.ts'
import { createMetrics } from './platform/metrics.ts'
import { migrate } from './platform/migrate.ts'
import { startEmbeddedPostgres } from './platform/postgres/embedded.ts'
import { every, unhurried } from './platform/timer.ts'
import { referenceRoutes } from './reference/routes.ts'
import { statsRoutes } from './stats/routes.ts'
import { createSpentToday } from './stats/spent-today.ts'
import { createPlaces } from './tracking/places.ts'
import { actionRoutes } from './tracking/routes.ts'
import { SENT_EVENTS } from './webhooks/contract.ts'
import { sweepDeliveries } from './webhooks/deliveries.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { startSender } from './webhooks/sender.ts'
import { watchCampaigns } from './webhooks/watch.ts'

/** Most of a job is waiting for somebody else's host. */
const JOBS_AT_ONCE = 8
/** Decoding takes a processor each. */
const INSPECTIONS_AT_ONCE = 2
/** Domains and apps whose names are at hand. */
const PLACES_IN_MEMORY = 100_000

/** The built console: beside `src/` in the build, in the build when this runs from the sources. */
const WEB_DIR = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../dist/web' : '../web', import.meta.url),
)

export interface Service {
  api: Api
  /** Every route of the server, `GET /path`. */
  routes: string[]
  db: Database
  delivery: Delivery
  /** Only on the very first start. */
  firstCredentials: FirstCredentials | null
  /** Starts to listen; the URL to reach it on this machine. */
  listen(): Promise<string>
  /** Finishes what is in flight, then lets go of everything. */
  stop(): Promise<void>
}

export interface ServiceOptions {
  config: Config
  log: Log
  clock: Clock
  /** Hold every answer to its contract. */
  checkAnswers?: boolean
  /** Whether this process does the background work (reviews, webhooks); default yes. */
  background?: boolean
  /** Called when a part died that the service cannot do without. */
  onFatal?: (error: Error) => void
}

export async function createService(options: ServiceOptions): Promise<Service> {
  const { config, log, clock, checkAnswers = false, background = true } = options
  const closers: (() => unknown)[] = []
  const stop = async () => {
    while (closers.length > 0) await closers.pop()!()
  }
  try {
    return await compose()
  } catch (error) {
    await stop()
    throw error
  }

  async function compose(): Promise<Service> {
    const databaseUrl = await databaseOf(options, closers)
    await migrate(databaseUrl)
    const db = openDatabase({
      url: databaseUrl,
      maxConnections: config.DATABASE_POOL,
      onError: error => log.warn({ err: error }, 'a database connection broke'),
    })
    closers.push(() => db.close())
    const firstCredentials = await firstStart(db, config, clock)

    const metrics = createMetrics()
    const mail = createMailer({
      smtpUrl: config.SMTP_URL,
      from: config.MAIL_FROM,
      outboxDir: join(config.DATA_DIR, 'outbox'),
      log,
    })
    closers.push(() => mail.close())
    const methods = createMethodTable()
    const dataRoutes: DataRoute[] = []
    const fastify = createServer({
      log,
      metrics,
      trustProxy: config.TRUST_PROXY,
      methodsOf: methods.methodsOf,
      dataRoutes,
    })
    fastify.addHook('onRoute', route => {
      for (const method of [route.method].flat()) methods.add(method, route.url)
    })

    const credentials = createCredentialCheck(db, clock)
    const limiter = createRateLimiter({ rate: config.RATE_LIMIT, burst: config.RATE_BURST, clock })
    const sessions = createSessions({ db, clock, credentials })
    const gate = createGate({
      credentials,
      sessions,
      limiter,
      allowQueryCredentials: config.ALLOW_QUERY_CREDENTIALS,
      publicUrl: config.PUBLIC_URL,
    })
    const apiParts = { db, gate, publicUrl: config.PUBLIC_URL, checkAnswers }
    const api = createApi({ ...apiParts, fastify })

    customerRoutes(api, {
      db,
      mail,
      clock,
      credentials,
      credentialTtlSeconds: config.CREDENTIAL_TTL,
      publicUrl: config.PUBLIC_URL,
    })
    const campaigns = {
      clock,
      defaultCpmMicros: config.DEFAULT_CPM,
      spentToday: createSpentToday({ clock, timeZone: config.TIMEZONE }),
    }
    campaignRoutes(api, campaigns)
    personaRoutes(api, { clock })
    const creatives = {
      clock,
      creativesDir: join(config.DATA_DIR, 'creatives'),
      inspect: createInspections(INSPECTIONS_AT_ONCE),
    }
    bannerRoutes(api, { clock })
    creativeFiles(fastify, creatives)
    await fastify.register(async child => {
      const uploads = createApi({ ...apiParts, fastify: child })
      uploadRoutes(uploads, creatives)
      api.endpoints.push(...uploads.endpoints)
    })
    referenceRoutes(api)
    const places = createPlaces({ maxPlaces: PLACES_IN_MEMORY })
    const delivery = createDelivery({
      config,
      db,
      databaseUrl,
      clock,
      log,
      metrics,
      places,
      onFatal: error => options.onFatal?.(error),
    })
    closers.push(() => delivery.stop())
    dataRoutes.push(...delivery.routes)
    deliveryRoutes(api, { delivery, clock, findPersona })
    const counting = await startCounting({ config, db, databaseUrl, clock, log, metrics, places, delivery })
    closers.push(() => counting.stop())
    dataRoutes.push(...counting.routes)
    actionRoutes(api, counting.actions)
    statsRoutes(api, { clock, timeZone: config.TIMEZONE, log })
    issueRoutes(api, { clock, timeZone: config.TIMEZONE })
    const webhooks = { clock, allowPrivate: config.ALLOW_PRIVATE_WEBHOOKS }
    webhookRoutes(api, webhooks)
    operationRoutes(api, {
      metrics,
      metricsToken: config.METRICS_TOKEN,
      sent: SENT_EVENTS,
      notReady: async () => [
        ...((await isAlive(db)) ? [] : ['database']),
        ...(delivery.running() ? [] : ['catalog']),
      ],
    })
    docsPage(fastify, config.PUBLIC_URL)
    consoleRoutes(api, {
      db,
      mail,
      clock,
      credentials,
      sessions,
      currency: config.CURRENCY,
      timeZone: config.TIMEZONE,
      publicUrl: config.PUBLIC_URL,
      log,
    })
    consolePages(fastify, { webDir: WEB_DIR, publicUrl: config.PUBLIC_URL })
    closers.push(
      every(
        'sweep',
        3_600_000,
        async () => {
          await sweepAccess(db, clock)
          await sweepSessions(db, clock)
          await sweepDeliveries(db, clock)
        },
        log,
      ),
    )

    await migrateJobs(databaseUrl, log)
    const review = reviewTask({
      ...creatives,
      db,
      limits: creativeLimits(config.CREATIVE_WEIGHTS ?? {}),
      allowPrivate: config.ALLOW_PRIVATE_CREATIVES,
      fetchTimeoutMs: config.CREATIVE_TIMEOUT * 1000,
      retryForMs: config.CREATIVE_RETRY * 1000,
    })
    if (background) {
      const tasks = { [REVIEW_TASK]: review }
      closers.push(await startJobs({ db, databaseUrl, tasks, concurrency: JOBS_AT_ONCE, log }))
      const sweep = unhurried(() => sweepReviews(db, clock))
      closers.push(every('review sweep', 10_000, sweep, log))
      const watched = { ...campaigns, db, calendar: calendarOf(config.TIMEZONE) }
      closers.push(every('campaign watch', 2_000, () => watchCampaigns(watched), log))
      closers.push(startSender({ ...webhooks, db, log, metrics }))
    }

    // Last, so that it is first to stop: nothing new comes in while the parts let go.
    closers.push(() => fastify.close())

    return {
      api,
      routes: methods.routes,
      db,
      delivery,
      firstCredentials,
      listen: () => fastify.listen({ port: config.PORT, host: config.HOST }),
      stop,
    }
  }
}

async function databaseOf(
  { config, log, onFatal }: ServiceOptions,
  closers: (() => unknown)[],
): Promise<string> {
  if (config.DATABASE_URL) return config.DATABASE_URL
  const embedded = await startEmbeddedPostgres({
    dataDir: config.DATA_DIR,
    log: line => log.info({ part: 'postgres' }, line),
  })
  let stopping = false
  closers.push(() => {
    stopping = true
    return embedded.stop()
  })
  embedded.exited.then(() => {
    if (!stopping) onFatal?.(new Error('the embedded database has ended unexpectedly'))
  })
  return embedded.url
}
