// What a call passes before it reaches its endpoint: the server, who is calling, limits, and the connections it may
// take.

import { createApi } from '../http/api.ts'
import { countStopped, createCallBounds, type Stopped } from '../http/call-bounds.ts'
import { createFairPools } from '../http/fair-pools.ts'
import type { DataRoute } from '../http/lane/data-plane.ts'
import { createMethodTable } from '../http/methods.ts'
import { createRateLimiter } from '../http/rate-limit.ts'
import { createServer } from '../http/server.ts'
import { challengeOf } from '../identity/agents/routes.ts'
import { alertRaised } from '../identity/alerts.ts'
import { createCredentialCheck } from '../identity/credentials.ts'
import { countRefusedBodies, createFailures } from '../identity/failures.ts'
import { createGate, pairOwnerBy } from '../identity/gate.ts'
import { createOrigins } from '../identity/origins.ts'
import { sessionCookieFor } from '../identity/sessions/cookie.ts'
import { createSessions } from '../identity/sessions/sessions.ts'
import { createProposer } from '../manage/proposals/proposals.ts'
import type { Base } from './base.ts'
import { quotasOf } from './quotas.ts'

export type Entrance = ReturnType<typeof openEntrance>

export function openEntrance(base: Base, checkAnswers: boolean) {
  const { config, db, clock, metrics, databases } = base
  const { PUBLIC_URL: publicUrl, ALLOW_QUERY_CREDENTIALS: allowQueryCredentials } = config
  const stopped = countStopped(metrics)
  const callers = openCallers(base)
  const { fastify, dataRoutes, methods } = openServer(base, callers, stopped)
  countRefusedBodies(fastify, callers.failures)
  const limiter = createRateLimiter({ rate: config.RATE_LIMIT, burst: config.RATE_BURST, clock })
  const known = { ...callers, publicUrl, agents: config.AGENTS === 'on' }
  const gate = createGate({ ...known, limiter, allowQueryCredentials })
  // Half of what a customer may send: however many calls its agents make, its people get an answer.
  const agentLimiter = createRateLimiter({
    rate: Math.max(1, config.RATE_LIMIT / 2),
    burst: Math.max(1, Math.floor(config.RATE_BURST / 2)),
    clock,
  })
  const agentGate = createGate({ ...known, limiter: agentLimiter, allowQueryCredentials: false })
  const fairPools = createFairPools({ atOnce: config.CALLS_AT_ONCE, metrics })
  databases.addTo(fairPools)
  const apiOptions = {
    fastify,
    db,
    reads: databases.reads,
    fairPools,
    boundCall: createCallBounds(config.CALL_TIMEOUT * 1000, stopped),
    gate,
    publicUrl,
    allowQueryCredentials,
    ...quotasOf(config),
    timeZone: config.TIMEZONE,
    alert: alertRaised,
    proposer: createProposer({ clock, publicUrl, timeZone: config.TIMEZONE }),
    checkAnswers,
  }
  const agents = { gate: agentGate, limiter: agentLimiter }
  return {
    ...callers,
    fastify,
    dataRoutes,
    methods,
    fairPools,
    agents,
    apiOptions,
    api: createApi(apiOptions),
  }
}

/** Everything that knows who is calling. */
function openCallers({ config, databases: { door }, clock, rewindCheck }: Base) {
  const credentials = createCredentialCheck(door, clock)
  const cookie = sessionCookieFor(config.PUBLIC_URL)
  const failures = createFailures(config.FAILURE_LIMIT, clock)
  const requirePasskey = config.REQUIRE_PASSKEY
  const sessions = createSessions({ db: door, cookie, failures, clock, credentials, requirePasskey })
  rewindCheck.onWentBack(() => credentials.forgetAll())
  rewindCheck.onWentBack(() => sessions.forgetAll())
  return { credentials, cookie, failures, sessions, origins: createOrigins(door, clock) }
}

type Callers = ReturnType<typeof openCallers>

function openServer({ config, log, metrics, traces }: Base, { credentials }: Callers, stopped: Stopped) {
  const methods = createMethodTable()
  const dataRoutes: DataRoute[] = []
  const fastify = createServer({
    log,
    metrics,
    trustProxy: config.TRUST_PROXY,
    publicUrl: config.PUBLIC_URL,
    methodsOf: methods.methodsOf,
    keepAliveMs: config.KEEP_ALIVE * 1000,
    dataRoutes,
    pairOwner: pairOwnerBy(credentials),
    bearer: config.AGENTS === 'on' ? challengeOf(config.PUBLIC_URL) : null,
    stopped,
    traces,
  })
  fastify.addHook('onRoute', route => {
    for (const method of [route.method].flat()) methods.add(method, route.url)
  })
  return { fastify, dataRoutes, methods }
}
