// Binds the sandbox endpoints to their verbs. A real deployment does not bind them: there they are unknown paths.

import type { FastifyInstance } from 'fastify'
import { Answer, type Api } from '../http/api.ts'
import { BODY_LIMIT_BYTES } from '../http/errors.ts'
import { fieldError } from '../kernel/errors/field-error.ts'
import { invalidInput } from '../kernel/errors/problem.ts'
import * as contract from './contract.ts'
import { type EventParts, sendEvent } from './events.ts'
import type { Follower } from './follower.ts'
import { imageRoute } from './images.ts'
import type { Inbox, Outbox } from './inbox.ts'
import { type Mover, tooFar } from './mover.ts'
import type { VirtualClock } from './virtual-clock.ts'
import type { Visits } from './visits.ts'

export interface SandboxParts {
  clock: VirtualClock
  follower: Pick<Follower, 'catchUp'>
  mover: Mover
  visits: Visits
  events: EventParts
  inbox: Inbox
  outbox: Outbox
  /** Stops all parts of the service, empties the sandbox, and makes them again. */
  empty(): Promise<void>
}

/** Shorter than the time that a call may take. */
export const PATIENCE_MS = 20_000

export function sandboxRoutes(api: Api, parts: SandboxParts): void {
  const { mover, visits, inbox, outbox, follower } = parts
  api.bind(contract.readClock, {
    async handle() {
      await follower.catchUp()
      return mover.state()
    },
  })
  api.bind(contract.moveClock, {
    ownTransactions: true,
    async handle({ body }) {
      await follower.catchUp()
      return moveClock(parts, targetMsOf(body, parts.clock.nowMs()))
    },
  })
  api.bind(contract.sendTraffic, {
    ownTransactions: true,
    async handle({ caller, body }) {
      await follower.catchUp()
      const isDone = await soon(visits.send(caller, body))
      return isDone ? visits.state() : new Answer(visits.state(), {}, { status: 202 })
    },
  })
  api.bind(contract.readTraffic, { handle: async () => visits.state() })
  api.bind(contract.sendEvent, {
    handle: ({ db, caller, body }) => sendEvent(db, caller, body, parts.events),
  })
  api.bind(contract.readOutbox, {
    handle: async ({ query }) => outbox.list((query.to as string | undefined) ?? null),
  })
  api.bind(contract.reset, {
    ownTransactions: true,
    async handle() {
      const began = mover.end()
      await parts.empty()
      // The server that answers here is about to close, so the next call must use a new connection.
      return new Answer(began, { connection: 'close' })
    },
  })
  api.bind(contract.readInbox, { handle: async () => inbox.list() })
  api.fastify.register(async child => receive(child, inbox))
  imageRoute(api.fastify)
}

/** Accepts any content, because a test wants to see the exact bytes. It is not parsed. */
function receive(fastify: FastifyInstance, inbox: Inbox): void {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  fastify.post(contract.readInbox.path, { bodyLimit: BODY_LIMIT_BYTES }, (request, reply) => {
    inbox.received(request, typeof request.body === 'string' ? request.body : '')
    reply.code(204).send()
  })
}

function targetMsOf({ by, to }: { by?: number; to?: number }, nowMs: number): number {
  if (by !== undefined && to !== undefined)
    throw invalidInput([fieldError('/by', 'not_together', { field: 'to' })])
  if (by !== undefined) return nowMs + by * 1000
  if (to === undefined) throw invalidInput([fieldError('/by', 'required')])
  if (to * 1000 < Math.floor(nowMs / 1000) * 1000)
    throw invalidInput([fieldError('/to', 'not_in_the_future', { now: Math.floor(nowMs / 1000) })])
  const errors = tooFar('/to', to * 1000, nowMs)
  if (errors.length > 0) throw invalidInput(errors)
  return Math.max(nowMs, to * 1000)
}

async function moveClock({ mover }: SandboxParts, targetMs: number) {
  const isThere = await soon(mover.moveTo(targetMs))
  return isThere ? mover.state() : new Answer(mover.state(), {}, { status: 202 })
}

/** False if the work continues by itself. If it fails later, that is logged, and the clock shows where it stopped. */
async function soon(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, PATIENCE_MS, false)
  })
  work.catch(() => undefined)
  const isDone = await Promise.race([work.then(() => true), late])
  clearTimeout(timer)
  return isDone
}
