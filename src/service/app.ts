// The composition root: base → entrance → parts, in this order. roles.ts says which parts run; management.ts, ads.ts
// and background.ts say what each consists of. Nothing else wires anything.

import { join } from 'node:path'
import { startFolding } from '../count/fold/folding.ts'
import { traceSome } from '../http/lane/traced.ts'
import { calendarOf } from '../kernel/time/day.ts'
import { type Creatives, createCreatives } from '../manage/banners/creative/store.ts'
import { createFollowPage, type FollowPage } from '../manage/banners/landing/follow.ts'
import { creativeFiles } from '../manage/banners/routes.ts'
import { createSiteFiles } from '../manage/sources/site-files.ts'
import { rememberPublicUrl } from '../manage/sources/sources.ts'
import { migrateJobs } from '../platform/job-queue.ts'
import { openStore, s3AccessOf } from '../platform/store/open.ts'
import { sandboxPages } from '../sandbox/pages.ts'
import { type Ads, adsElsewhere, noAds, startAds } from './ads.ts'
import { startBackground } from './background.ts'
import { type Base, openBase } from './base.ts'
import { type Entrance, openEntrance } from './entrance.ts'
import { startImages, watchImages } from './images.ts'
import { manage } from './management.ts'
import { operationRoutes, type ReadyPart } from './operations.ts'
import { adoptFor } from './processes/adopted.ts'
import { createReadiness } from './ready.ts'
import { createReopening } from './reopening.ts'
import { runs } from './roles.ts'
import type { Opened, Service, ServiceOptions } from './service.ts'
import { beginLife, closeInTime, type Life, UNHURRIED } from './stop.ts'

export type { Member, Service, ServiceOptions } from './service.ts'

export function createService(options: ServiceOptions): Promise<Service> {
  return options.config.SANDBOX ? createReopening(options, open) : open(options)
}

async function open(options: ServiceOptions): Promise<Opened> {
  const life = beginLife(options.log)
  try {
    return await compose(options, life)
  } catch (error) {
    await life.stop()
    throw error
  }
}

async function compose(options: ServiceOptions, life: Life): Promise<Opened> {
  const base = await openBase(options, life)
  const { config, db, databaseUrl, log } = base
  await rememberPublicUrl(db, config.PUBLIC_URL, base.clock)
  const entrance = openEntrance(base, options.checkAnswers ?? false)
  const owned = await openOwned(base, life, options)
  if (runs(config.ROLES, 'management')) {
    const siteFiles = options.siteFiles ?? createSiteFiles({ allowPrivate: config.ALLOW_PRIVATE_CREATIVES })
    await manage(entrance.api, entrance.apiOptions, { ...base, ...entrance, ...owned, siteFiles })
  }
  base.sandbox?.bind(entrance.api, owned.campaigns, entrance.sessions)
  if (runs(config.ROLES, 'images')) creativeFiles(entrance.fastify, owned.creatives)
  const delivery = await openDelivery(base, entrance, life)
  const readiness = openOperations(options, base, entrance, delivery, life)
  await migrateJobs(databaseUrl, log)
  if (runs(config.ROLES, 'jobs')) await startBackground({ ...base, ...owned }, life.closers)
  return serviceOf({ base, entrance, delivery, readiness, life })
}

/** What customers own, as all parts see it. */
async function openOwned({ config, db, log, clock, metrics }: Base, life: Life, options: ServiceOptions) {
  const campaigns = {
    clock,
    defaultCpmMicros: config.DEFAULT_CPM,
    calendar: calendarOf(config.TIMEZONE),
  }
  const images = startImages(watchImages(log, metrics))
  life.closers.push(() => images.stop())
  const creatives = {
    clock,
    files: await openCreatives({ config, db, log }),
    quotaBytes: config.UPLOAD_QUOTA * 1_000_000,
    quotaFiles: config.UPLOAD_FILES,
    inspect: images.inspect,
  }
  const landing = { clock, followPage: options.followPage ?? followPageBy(config) }
  return { campaigns, creatives, landing, makeLogo: images.logo }
}

/** A sandbox asks nobody: the address itself says what is found there. */
function followPageBy({ SANDBOX, PUBLIC_URL, ALLOW_PRIVATE_CREATIVES }: Base['config']): FollowPage {
  return SANDBOX ? sandboxPages(PUBLIC_URL) : createFollowPage({ allowPrivate: ALLOW_PRIVATE_CREATIVES })
}

/** Images that an earlier version left on this machine's disk are imported before the first request. */
async function openCreatives({ config, db, log }: Pick<Base, 'config' | 'db' | 'log'>): Promise<Creatives> {
  const files = createCreatives({
    db,
    dir: join(config.DATA_DIR, 'creatives'),
    store: config.CREATIVES_URL ? openStore(config.CREATIVES_URL, s3AccessOf(config)) : null,
  })
  const taken = await files.takeOver()
  if (taken > 0) log.info({ images: taken }, 'imported images of an earlier version')
  return files
}

async function openDelivery(base: Base, { api, dataRoutes, fairPools }: Entrance, life: Life): Promise<Ads> {
  const { config, clock, traces } = base
  const parts = { ...base, fairPools }
  const delivery = runs(config.ROLES, 'ads')
    ? await startAds(api, dataRoutes, parts, life.closers)
    : runs(config.ROLES, 'management')
      ? await adsElsewhere(api, parts, life.closers)
      : noAds()
  base.sandbox?.deliver(dataRoutes, delivery)
  traceSome(dataRoutes, traces, config.TRACE_ADS)
  clock.onStepBack(() => delivery.restart())
  return delivery
}

/** Folding, and what an operator asks; returns the state of each part. */
function openOperations(
  { member }: ServiceOptions,
  { config, db, control, clock, log, metrics, rewindCheck }: Base,
  { api }: Entrance,
  delivery: Ads,
  life: Life,
): () => Promise<ReadyPart[]> {
  const folding = runs(config.ROLES, 'folding') ? startFolding({ db, clock, log, metrics }) : null
  life.closers.push(() => folding?.stop())
  const readiness = createReadiness({
    roles: config.ROLES,
    place: member?.place ?? null,
    db: control,
    delivery,
    rewindCheck,
    isStopping: () => life.isStopping,
  })
  operationRoutes(api, {
    metrics: async () => (member ? member.gather(metrics.registry) : metrics.registry.metrics()),
    metricsToken: config.METRICS_TOKEN,
    trustProxy: config.TRUST_PROXY,
    port: config.PORT,
    readiness: async () => [...(await readiness()), ...(member?.others() ?? [])],
    notes: () => folding?.notes() ?? [],
  })
  return readiness
}

interface OpenedParts extends Pick<Opened, 'delivery' | 'readiness'> {
  base: Base
  entrance: Entrance
  life: Life
}

function serviceOf({ base, entrance, delivery, readiness, life }: OpenedParts): Opened {
  const { config, db, databases, databaseUrl, firstCredentials, log, metrics } = base
  const { api, fastify, methods } = entrance
  // Last in, so that it stops first: nothing new arrives while the parts stop.
  const adopted = adoptFor(fastify.server)
  const closeServer = async () => {
    await fastify.close()
    await adopted.gone()
  }
  life.closers.push(closeServer)
  return {
    api,
    routes: methods.routes,
    db,
    door: databases.door,
    delivery,
    firstCredentials,
    startDraining: () => {
      life.isStopping = true
    },
    databaseUrl,
    registry: metrics.registry,
    readiness,
    adopt: adopted.adopt,
    listen: (where = { port: config.PORT, host: config.HOST }) => fastify.listen(where),
    stop: life.stop,
    async closeParts() {
      life.closers.splice(life.closers.indexOf(closeServer), 1)
      fastify.server.closeIdleConnections()
      await closeInTime(life.closers, log, UNHURRIED)
    },
    closeIdle: () => fastify.server.closeIdleConnections(),
    closeServer,
  }
}
