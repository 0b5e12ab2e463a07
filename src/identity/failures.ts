// Limits failed credentials by the address they come from and the networks around it, before the database is asked. An
// attempt is counted when it begins and uncounted when it succeeds, so that concurrent attempts count too and valid
// callers are not limited.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createAddressLimit } from '../http/address-limit.ts'
import type { Taken } from '../http/rate-limit.ts'
import { refusal } from '../kernel/errors/problem.ts'
import type { Clock } from '../kernel/time/clock.ts'

export interface Failures {
  /** Counts an attempt; throws 429 if this address has failed too often. */
  begin(address: string): void
  /** Uncounts an attempt that succeeded. */
  giveBack(address: string): void
}

export const PERIOD_S = 600

/** `limit`: failures in ten minutes. */
export function createFailures(limit: number, clock: Clock): Failures {
  const tries = createAddressLimit(limit, PERIOD_S, clock)
  return {
    begin: address => refuseBeyond(tries.take(address), 'too_many_failures'),
    giveBack: address => tries.giveBack(address),
  }
}

/** A body that is refused before it is checked against its contract is a failure too, if nobody knows its sender. */
export function countRefusedBodies(fastify: FastifyInstance, failures: Failures): void {
  const isStrangers = ({ call, method }: FastifyRequest) =>
    !call?.caller && method !== 'GET' && method !== 'HEAD'
  fastify.addHook('preParsing', async request => {
    if (isStrangers(request)) failures.begin(request.clientAddress)
  })
  fastify.addHook('preHandler', async request => {
    if (isStrangers(request)) failures.giveBack(request.clientAddress)
  })
}

/** Throws 429 when nothing is left; `reason` names the kind of attempts. */
export function refuseBeyond(
  { allowed, retryAfterS }: Taken,
  reason: 'too_many_requests' | 'too_many_failures' | 'too_many_passcodes',
): void {
  if (allowed) return
  throw refusal(reason, { seconds: retryAfterS }, { headers: { 'retry-after': String(retryAfterS) } })
}
