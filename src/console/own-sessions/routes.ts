// The sessions of the signed-in person, each endpoint bound to its verb. Refused until they have used their passkey.

import type { FastifyRequest } from 'fastify'
import type { Api } from '../../http/api.ts'
import { refuseForeign } from '../../identity/same-origin.ts'
import {
  type LiveSession,
  refuseWaiting,
  type Sessions,
  sessionEnded,
} from '../../identity/sessions/sessions.ts'
import { notFound, refusal } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import { toSeconds } from '../../kernel/time/clock.ts'
import * as contract from './contract.ts'

interface OwnSessionParts {
  sessions: Sessions
  publicUrl: string
}

export function ownSessionRoutes(api: Api, { sessions, publicUrl }: OwnSessionParts): void {
  const person = async ({ request }: { request: FastifyRequest }): Promise<LiveSession> => {
    if (request.method !== 'GET') refuseForeign(request, publicUrl)
    const session = await sessions.find(request)
    if (!session) throw sessionEnded()
    if (session.person === null) throw refusal('sessions_of_people')
    refuseWaiting(session)
    return session
  }

  api.bind(contract.listSessions, {
    find: person,
    handle: async ({ db, found }) =>
      (await sessions.ofPerson(db, found)).map(({ session_id: id, browser, created_at, used_at }) => ({
        id,
        browser,
        created: toSeconds(created_at),
        lastUsed: toSeconds(used_at),
        isThis: id === found.sessionId,
      })),
  })
  api.bind(contract.endSession, {
    find: person,
    handle: async ({ db, found, params }) => {
      const id = parseId(params.id!)
      if (id === null || !(await sessions.endOne(db, found, id))) throw notFound('session')
      return { id, deleted: true as const }
    },
  })
  api.bind(contract.endOtherSessions, {
    find: person,
    handle: async ({ db, found }) => ({ ended: await sessions.endOthers(db, found) }),
  })
}
