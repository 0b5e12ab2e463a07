// How a write is stored: in one transaction, at most once for an idempotency key, and not at all in a dry run.

import type { FastifyRequest } from 'fastify'
import { costsAtMost } from '../changes/costs.ts'
import { inTx, type Tx, withNotes } from '../changes/tx.ts'
import { Problem, refusal } from '../kernel/errors/problem.ts'
import { parseId } from '../kernel/id.ts'
import { fromMicros } from '../kernel/money.ts'
import type { Database } from '../platform/database.ts'
import type { Admission } from './admission.ts'
import { triedAnswer } from './dry-run.ts'
import type { EndpointSpec } from './endpoint.ts'
import {
  type Claim,
  claim,
  hashRequest,
  keepAnswer,
  readIdempotencyKey,
  type StoredAnswer,
} from './idempotency.ts'
import { type AnswerQuota, countAnswer } from './idempotency-quota.ts'
import { ToPropose } from './proposing.ts'
import type { QueryValues } from './query.ts'

interface WritingCall extends Admission {
  database: Database
  request: FastifyRequest
  body: unknown
  query: QueryValues
  params: Record<string, string>
}

export interface Work {
  run: (tx: Tx) => Promise<StoredAnswer>
  /** Runs before an earlier answer is repeated: throws 404 if the object in it no longer exists. */
  again: (tx: Tx, made: StoredAnswer) => Promise<void>
  writesElsewhere: boolean
  /** The deployment's time zone. */
  timeZone: string
}

/** Writes in one transaction; a POST with an idempotency key happens at most once. */
export async function write(
  endpoint: EndpointSpec,
  { database: db, caller, secret, request, body, query, cuid, params }: WritingCall,
  { run, again, writesElsewhere, timeZone }: Work,
  answerQuota: AnswerQuota,
): Promise<StoredAnswer> {
  if (query.dryRun === true) return tried(db, endpoint, run, timeZone)
  const key = endpoint.method === 'POST' ? readIdempotencyKey(request.headers['idempotency-key']) : null
  if (key === null || !caller || !secret)
    return writesElsewhere ? run(withNotes(db)) : keptOrProposed(db, run)
  const wanted: Claim = {
    owner: caller.key,
    key,
    ...hashRequest(endpoint.method, request.url, body),
    secret,
  }
  const once = (work: (tx: Tx) => Promise<StoredAnswer>) => async (tx: Tx) => {
    const earlier = await claim(tx, wanted)
    if (earlier) {
      await again(tx, earlier).catch(asGone)
      return { ...earlier, headers: { ...earlier.headers, 'idempotency-replayed': 'true' } }
    }
    const answer = await work(tx)
    if (answer.undo) return answer
    const bytes = await keepAnswer(tx, wanted, answer, cuid ?? customerOf(params, answer))
    await countAnswer(tx, { caller, cuid }, bytes, answerQuota)
    return answer
  }
  return keptOrProposed(db, run, once)
}

/** A proposal is stored in a transaction of its own: the first one has made the change, so it is rolled back. */
async function keptOrProposed(
  db: Database,
  run: (tx: Tx) => Promise<StoredAnswer>,
  once = (work: (tx: Tx) => Promise<StoredAnswer>) => work,
): Promise<StoredAnswer> {
  try {
    return await kept(db, once(run))
  } catch (error) {
    if (!(error instanceof ToPropose)) throw error
    return kept(db, once(error.store))
  }
}

function asGone(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== 'not_found') throw error
  throw refusal('idempotent_object_gone')
}

/** The customer in the path, or the one that was created. */
function customerOf(params: Record<string, string>, { body }: StoredAnswer): number | null {
  if (params.cuid !== undefined) return parseId(params.cuid)
  const made = (body as { cuid?: unknown } | null)?.cuid
  return typeof made === 'number' ? made : null
}

/** Carries an answer out of a transaction that is rolled back. */
class Undone {
  readonly answer: StoredAnswer
  constructor(answer: StoredAnswer) {
    this.answer = answer
  }
}

/** Runs in a transaction, which is rolled back if the answer says that nothing is kept. */
async function kept(db: Database, run: (tx: Tx) => Promise<StoredAnswer>): Promise<StoredAnswer> {
  try {
    return await inTx(db, async tx => {
      const answer = await run(tx)
      if (answer.undo) throw new Undone(answer)
      return answer
    })
  } catch (error) {
    if (error instanceof Undone) return error.answer
    throw error
  }
}

/** Does everything but the commit. */
function tried(
  db: Database,
  endpoint: EndpointSpec,
  run: (tx: Tx) => Promise<StoredAnswer>,
  timeZone: string,
): Promise<StoredAnswer> {
  return kept(db, async tx => {
    const { headers, body, wouldPropose = false } = await run(tx)
    const most = fromMicros(await costsAtMost(tx, timeZone))
    // An etag belongs to an object that exists.
    const { etag: _, ...rest } = headers
    return {
      status: 200,
      headers: rest,
      body: triedAnswer(body, endpoint, { costsAtMost: most, wouldPropose }),
      undo: true,
    }
  })
}
