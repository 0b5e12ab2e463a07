// What a person must decide: a call that exceeds the grant becomes a proposal, and the answer leads to its page in the
// console. A person approves there; nothing that a model sends can.

import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { AnswerOf, EndpointSpec } from '../../http/endpoint.ts'
import type { Proposal } from '../../http/proposed.ts'
import { Body, Id } from '../../http/schema.ts'
import { type Answered, type CallApi, type Given, Refused } from './calls.ts'
import { type Agent, NeedsPerson } from './tool.ts'
import { amount, time } from './words.ts'

export const Waiting = Body({
  id: Id('Proposal: get_proposals says how it was decided.'),
  url: Type.String({ description: 'Where a person decides.' }),
  costsAtMost: Type.Number(),
  expires: Type.Integer(),
})

/** The call; if only a ceiling forbids it, the same as a proposal. */
export async function orProposed<E extends EndpointSpec>(
  call: CallApi,
  endpoint: E,
  given: Given,
): Promise<Answered<AnswerOf<E>>> {
  try {
    return await call(endpoint, given)
  } catch (error) {
    if (!isAboveCeiling(error)) throw error
    return call(endpoint, { ...given, query: { ...given.query, propose: true } })
  }
}

export function isAboveCeiling(error: unknown): boolean {
  return error instanceof Refused && error.body.code === 'ceiling_exceeded'
}

/** The proposal that a call has become, or null. */
export function proposalIn({ status, body }: Answered<unknown>): Static<typeof Proposal> | null {
  const { proposal } = (body ?? {}) as { proposal?: Static<typeof Proposal> }
  return status === 202 && proposal ? proposal : null
}

/** What a tool answers when a person must decide. */
export function needsPerson(proposal: Static<typeof Proposal>, agent: Agent, zone: string): NeedsPerson {
  const { id, cuid, url, costsAtMost, expires } = proposal
  const inWords =
    `Nothing is changed yet. A person must approve it at ${url} until ${time(expires, zone)}; it can cost at most ` +
    `${amount(costsAtMost, agent.currency)}. Give your person the link; get_proposals says what they decided.`
  return new NeedsPerson({ proposal: { id, url, costsAtMost, expires }, inWords }, { id, cuid, url })
}
