// Admission: what the gate decides about a request.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../kernel/caller.ts'
import type { EndpointSpec } from './endpoint.ts'

/** What the gate knows about a request. `secret` is the token half, for the idempotency key. */
export interface Admission {
  caller: Caller | null
  cuid: number | null
  secret: string | null
}

export type Gate = (
  endpoint: EndpointSpec,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Admission>
