// The sandbox as a part of the service: its clock can be moved, everything it sends is kept, and every answer is
// marked.

import type { FastifyInstance } from 'fastify'
import type { Batch, BatchResult } from '../count/tracking/event.ts'
import type { Api } from '../http/api.ts'
import type { DataRoute } from '../http/lane/data-plane.ts'
import type { Sessions } from '../identity/sessions/sessions.ts'
import { sandboxMark } from '../kernel/time/clock.ts'
import { calendarOf } from '../kernel/time/day.ts'
import type { CampaignParts } from '../manage/campaigns/campaigns.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Mailer } from '../platform/mail.ts'
import { createAfterwards } from '../sandbox/afterwards.ts'
import type { CrowdParts } from '../sandbox/crowd.ts'
import { startFollower } from '../sandbox/follower.ts'
import { createHappenings } from '../sandbox/happenings.ts'
import { createInbox, createOutbox } from '../sandbox/inbox.ts'
import { createMover } from '../sandbox/mover.ts'
import type { OpenedSandbox } from '../sandbox/open.ts'
import { sandboxRoutes } from '../sandbox/routes.ts'
import type { VirtualClock } from '../sandbox/virtual-clock.ts'
import { createVisits } from '../sandbox/visits.ts'
import type { Ads } from './ads.ts'

export interface SandboxBase {
  db: Database
  config: Config
  log: Log
  mailer: Mailer
  reopen(how: { emptied: boolean }): Promise<void>
}

export interface SandboxPart {
  mailer: Mailer
  bind(api: Api, campaigns: CampaignParts, sessions: Pick<Sessions, 'forgetAll'>): void
  /** Called when all routes of ads exist. */
  deliver(dataRoutes: DataRoute[], delivery: Ads): void
  /** Called with every batch of events that is on disk. */
  written(batch: Batch, result: BatchResult): void
  stop(): void
}

export function composeSandbox(
  opened: OpenedSandbox,
  { db, config, log, mailer, reopen }: SandboxBase,
): SandboxPart {
  const { clock, startMs } = opened
  const follower = startFollower(db, clock)
  const happenings = createHappenings(db, clock)
  const routes: DataRoute[] = []
  let settled = () => Promise.resolve()
  let arrange = () => {}
  let node: CrowdParts['node'] = () => null
  let forgetSessions = () => {}
  const calls = { routes, settled: () => settled() }
  const afterwards = createAfterwards(calls)
  const mover = createMover({
    db,
    clock,
    startMs,
    happenings,
    afterwards,
    forgetSessions: () => forgetSessions(),
    timeZone: config.TIMEZONE,
    isExporting: config.EXPORT_URL !== null,
    log,
  })
  const visits = createVisits({
    db,
    clock,
    mover,
    ...calls,
    afterwards,
    seed: opened.seed,
    deliveryRandom: opened.random,
    due: new Map(),
    arrange: () => arrange(),
    publicUrl: config.PUBLIC_URL,
    currency: config.CURRENCY,
    calendar: calendarOf(config.TIMEZONE),
    timeZone: config.TIMEZONE,
    node: () => node(),
  })
  const inbox = createInbox(clock)
  const outbox = createOutbox(clock, mailer, happenings.mailed)
  return {
    mailer: outbox.mailer,
    bind(api, campaigns, sessions) {
      forgetSessions = sessions.forgetAll
      markAnswers(api.fastify, clock)
      const proposals = { clock, publicUrl: config.PUBLIC_URL, timeZone: config.TIMEZONE }
      const events = { campaigns, proposals, currency: config.CURRENCY }
      const empty = () => reopen({ emptied: true })
      sandboxRoutes(api, { clock, follower, mover, visits, events, inbox, outbox, empty })
    },
    deliver(dataRoutes, delivery) {
      markAds(dataRoutes, clock)
      routes.push(...dataRoutes)
      settled = delivery.idle
      arrange = delivery.arrange
      node = () => {
        const running = delivery.running()
        return running && { ledger: running.ledger, nodeId: running.refill.node.nodeId }
      }
    },
    written: visits.written,
    stop() {
      follower.stop()
      happenings.stop()
    },
  }
}

function markAnswers(fastify: FastifyInstance, clock: VirtualClock): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    for (const [name, value] of Object.entries(sandboxMark(clock))) reply.raw.setHeader(name, value)
    done()
  })
}

/** Ads and pixels are answered without the framework, so their answers are marked here. */
function markAds(dataRoutes: DataRoute[], clock: VirtualClock): void {
  dataRoutes.forEach((route, at) => {
    dataRoutes[at] = {
      ...route,
      handle: async request => {
        const answer = await route.handle(request)
        return { ...answer, headers: { ...answer.headers, ...sandboxMark(clock) } }
      },
    }
  })
}
