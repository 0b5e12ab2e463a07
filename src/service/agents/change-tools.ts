// Tools that change what is there: planned and applied as a whole, paused at once, resumed with the consent of who may,
// and taken back. A change is applied only to what it was planned for: each object by its etag.

import { type Static, Type } from 'typebox'
import type { EndpointSpec } from '../../http/endpoint.ts'
import { PROPOSAL_STATUSES } from '../../http/proposed.ts'
import { Body, Choice, Id, Nullable } from '../../http/schema.ts'
import type { Schema } from '../../http/validate.ts'
import { pauseBanner, readBanner, resumeBanner } from '../../manage/banners/contract.ts'
import { BULK_OPERATIONS, type BulkAnswer, BulkOperation, bulk } from '../../manage/bulk/contract.ts'
import { pauseCampaign, readCampaign, resumeCampaign } from '../../manage/campaigns/contract.ts'
import { readFlight } from '../../manage/campaigns/flights/contract.ts'
import { pausePersona, readPersona, resumePersona } from '../../manage/personas/contract.ts'
import { listProposals, readProposal } from '../../manage/proposals/contract.ts'
import { UndoneChange, undoChange } from '../../manage/undo/contract.ts'
import { isAboveCeiling, needsPerson, orProposed, proposalIn, Waiting } from './approvals.ts'
import { type Given, Refused } from './calls.ts'
import { planText } from './plan-tools.ts'
import { readTimes, stripped } from './schemas.ts'
import {
  type Agent,
  cuid,
  cursor,
  customerOf,
  fitting,
  hasTime,
  inEvery,
  NOTICE,
  next,
  tool,
  zoneOf,
} from './tool.ts'
import { amount, count, time } from './words.ts'

export const MOST_OPERATIONS = 20

const Operation = Body({
  ...BulkOperation.properties,
  op: Choice(BULK_OPERATIONS, {
    description:
      'What to do. Name the ids that it needs, such as `cid` and `pid` for createBanner; `body` has the fields of that object in plan_campaign, and null clears one.',
  }),
})
type Op = Static<typeof BulkOperation>

const anything = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

const Difference = Body({
  op: Type.String(),
  id: Nullable(Type.Integer()),
  changes: anything,
})

const planChange = tool({
  name: 'plan_change',
  title: 'Plan a change',
  description:
    'Tries changes of campaigns, flights, personas and banners as one, and stores nothing. Answers each difference (`before`, `after`), the most that it costs more, and a `plan` for apply_change, good for 15 minutes.',
  input: Body({
    cuid,
    operations: Type.Array(Operation, {
      minItems: 1,
      maxItems: MOST_OPERATIONS,
      description: `In this order; at most ${MOST_OPERATIONS}.`,
    }),
  }),
  output: Body({
    plan: Type.String(),
    expires: Type.Integer(),
    becomes: Choice(['applied', 'proposal']),
    costsAtMost: Type.Number(),
    differences: Type.Array(Difference),
    isCut: Type.Optional(Type.Boolean()),
    ...inEvery,
  }),
  hints: { readOnly: true },
  async run(args, agent) {
    const cuid = customerOf(agent, args.cuid)
    const asked = await withTimes(args.operations, cuid, agent)
    const before = await present(asked, cuid, agent)
    const operations = asked.map((operation, n) => {
      const etag = before[n]?.etag
      return etag ? { ifMatch: etag, ...operation } : operation
    })
    const { tried, fate } = await tryChange(operations, cuid, agent)
    const sealed = agent.plans.seal({ kind: 'change', cuid, fate, body: operations }, agent.caller.key)
    const all = tried.results.map((result, n) => {
      const { op, bid, pid, fid, cid } = operations[n]!
      const after = result.answer as Record<string, unknown> | undefined
      return {
        op,
        id: bid ?? pid ?? fid ?? cid ?? null,
        changes: differences(before[n]?.object ?? null, after ?? {}),
      }
    })
    const { shown, isCut } = fitting(all, 6_000)
    const costsAtMost = tried.costsAtMost ?? 0
    const zone = await zoneOf(agent, cuid)
    const inWords = [
      `${count(operations.length, 'operation')}, applied as one.`,
      costsAtMost > 0
        ? `It lets at most ${amount(costsAtMost, agent.currency)} be spent more.`
        : 'It costs nothing more.',
      fate === 'made'
        ? 'apply_change will make it.'
        : 'It exceeds this grant: apply_change will propose it to a person.',
      `The plan is good until ${time(sealed.expires, zone)}.`,
    ].join(' ')
    const becomes = fate === 'made' ? ('applied' as const) : ('proposal' as const)
    return {
      ...sealed,
      becomes,
      costsAtMost,
      differences: shown,
      ...(isCut ? { isCut } : {}),
      inWords,
      notice: NOTICE,
    }
  },
})

/** Their bodies with times as the API takes them. */
async function withTimes(operations: Op[], cuid: number, agent: Agent): Promise<Op[]> {
  if (!hasTime(operations)) return operations
  const zone = await zoneOf(agent, cuid)
  return operations.map(operation => {
    const schema = agent.bodies.get(operation.op)
    if (!schema || operation.body === undefined) return operation
    return { ...operation, body: readTimes(schema as Schema, operation.body, zone) as Op['body'] }
  })
}

interface Before {
  etag: string | null
  object: Record<string, unknown>
}

/** By the last id that an operation names. */
const READ = { bid: readBanner, pid: readPersona, fid: readFlight, cid: readCampaign } as const

/** What each operation changes, as it is; null for what it creates or restores, or an earlier one changes first. */
async function present(operations: Op[], cuid: number, { call }: Agent): Promise<(Before | null)[]> {
  const seen = new Set<number>()
  const found: (Before | null)[] = []
  for (const operation of operations) {
    const name = (['bid', 'pid', 'fid', 'cid'] as const).find(id => operation[id] !== undefined)
    const id = name && operation[name]!
    const isFirst = id !== undefined && !seen.has(id)
    if (!name || !isFirst || /^(create|copy|restore)/.test(operation.op)) {
      found.push(null)
      continue
    }
    seen.add(id)
    const { etag, body } = await call(READ[name] as EndpointSpec, { cuid, params: paramsOf(operation) })
    found.push({ etag, object: body as unknown as Record<string, unknown> })
  }
  return found
}

function paramsOf({ cid, fid, pid, bid }: Pick<Op, 'cid' | 'fid' | 'pid' | 'bid'>): Record<string, number> {
  const ids = Object.entries({ cid, fid, pid, bid }).filter(([, id]) => id !== undefined)
  return Object.fromEntries(ids) as Record<string, number>
}

/** Tries them as one. What a ceiling forbids is tried as a proposal. */
async function tryChange(operations: Op[], cuid: number, { call }: Agent) {
  const tryIt = async (propose?: true) => {
    const given = { cuid, query: { dryRun: true, propose }, body: { operations, atomic: true } }
    const { body } = await call(bulk, given)
    refuseFailed(body)
    return body
  }
  try {
    const tried = await tryIt()
    return { tried, fate: tried.wouldPropose ? ('proposed' as const) : ('made' as const) }
  } catch (error) {
    if (!isAboveCeiling(error)) throw error
    return { tried: await tryIt(true), fate: 'proposed' as const }
  }
}

/** One that fails is shown as its own endpoint would refuse it, with its place in the list. */
function refuseFailed({ results }: Static<typeof BulkAnswer>): void {
  const n = results.findIndex(({ error }) => error)
  const error = results[n]?.error
  if (!error) return
  const errors = error.errors?.map(one => ({ ...one, path: `/operations/${n}/body${one.path}` }))
  const message = `operation ${n} (${results[n]!.op}): ${error.message}`
  throw new Refused({ ...error, message, errors, requestId: '' } as Refused['body'], null)
}

/** Fields that differ, each with both values. */
function differences(
  before: Record<string, unknown> | null,
  after: Record<string, unknown>,
): Record<string, unknown> {
  const now = stripped(after)
  if (before === null) return { after: now }
  const was = stripped(before)
  const names = Object.keys(now).filter(name => JSON.stringify(now[name]) !== JSON.stringify(was[name]))
  return Object.fromEntries(names.map(name => [name, { before: was[name] ?? null, after: now[name] }]))
}

const applyChange = tool({
  name: 'apply_change',
  title: 'Apply a change',
  description:
    'Makes the change of a plan, as a whole and once. If what it changes was changed since it was planned, nothing is changed: plan again.',
  input: Body({ plan: planText }),
  output: Body({
    applied: Type.Optional(Type.Integer()),
    proposal: Type.Optional(Waiting),
    ...inEvery,
  }),
  hints: { destructive: true, idempotent: true },
  async run(args, agent) {
    const { cuid, body, fate, name } = agent.plans.open(args.plan, agent.caller.key, 'change')
    const query = fate === 'proposed' ? { propose: true } : {}
    const given = { cuid, query, body: { operations: body, atomic: true }, idempotencyKey: name }
    const made = await agent.call(bulk, given)
    const proposal = proposalIn(made)
    if (proposal) return needsPerson(proposal, agent, await zoneOf(agent, cuid))
    refuseFailed(made.body)
    const applied = made.body.succeeded
    return {
      applied,
      inWords: `${count(applied, 'operation')} applied. get_history shows them; undo takes one back.`,
    }
  },
})

const which = {
  cuid,
  cid: Id('Campaign.'),
  pid: Type.Optional(Id('Persona.')),
  bid: Type.Optional(Id('Banner.')),
}
const Switched = Body({ status: Type.Optional(Type.String()), proposal: Type.Optional(Waiting), ...inEvery })

/** The endpoint for the last id that is named. */
function endpointFor<E>(
  { pid, bid }: { pid?: number; bid?: number },
  each: [banner: E, persona: E, campaign: E],
): E {
  return bid === undefined ? (pid === undefined ? each[2] : each[1]) : each[0]
}

const pause = tool({
  name: 'pause',
  title: 'Pause',
  description:
    'Stops the delivery of a campaign within a second; with `pid` of that persona, with `bid` too of that banner.',
  input: Body(which),
  output: Switched,
  hints: { idempotent: true },
  async run(args, agent) {
    const endpoint = endpointFor<EndpointSpec>(args, [pauseBanner, pausePersona, pauseCampaign])
    return switched(args, agent, endpoint, 'It is paused.')
  },
})

const requestResume = tool({
  name: 'request_resume',
  title: 'Ask to resume',
  description:
    'Lets a paused campaign (or persona, or banner) deliver. If that lets more be spent than this grant may decide, a person is asked.',
  input: Body(which),
  output: Switched,
  hints: { idempotent: true },
  async run(args, agent) {
    const endpoint = endpointFor<EndpointSpec>(args, [resumeBanner, resumePersona, resumeCampaign])
    return switched(args, agent, endpoint, 'It is no longer paused.')
  },
})

async function switched(
  args: { cuid?: number; cid: number; pid?: number; bid?: number },
  agent: Agent,
  endpoint: EndpointSpec,
  done: string,
) {
  const cuid = customerOf(agent, args.cuid)
  const given: Given = { cuid, params: paramsOf(args) }
  const made = await orProposed(agent.call, endpoint, given)
  const proposal = proposalIn(made)
  if (proposal) return needsPerson(proposal, agent, await zoneOf(agent, cuid))
  const { status } = made.body as unknown as { status?: string }
  return { status, inWords: `${done}${status === undefined ? '' : ` Its status is ${status}.`}` }
}

const undo = tool({
  name: 'undo',
  title: 'Undo a change',
  description: 'Takes back one change, by its `id` in get_history, if it is the last change of its object.',
  input: Body({ cuid, id: Id('Entry of the history.') }),
  output: Body({ undone: Type.Optional(UndoneChange), proposal: Type.Optional(Waiting), ...inEvery }),
  hints: { destructive: true },
  async run(args, agent) {
    const cuid = customerOf(agent, args.cuid)
    const made = await orProposed(agent.call, undoChange, { cuid, params: { id: args.id } })
    const proposal = proposalIn(made)
    if (proposal) return needsPerson(proposal, agent, await zoneOf(agent, cuid))
    const { noun, nounId, by } = made.body
    return { undone: made.body, inWords: `The ${noun} ${nounId} is as it was before, by ${by}.` }
  },
})

const DECIDED = {
  pending: 'A person has not decided it yet.',
  approved: 'It was approved and applied.',
  declined: 'It was declined. Do not propose the same again unless your person asks for it.',
  expired: 'Nobody decided it in time.',
} as const

const ShownProposal = Body({
  id: Id('Proposal.'),
  url: Type.String(),
  operation: Type.String(),
  cids: Type.Array(Type.Integer()),
  costsAtMost: Type.Number(),
  status: Choice(PROPOSAL_STATUSES),
  expires: Type.Integer(),
  decidedBy: Nullable(Type.String()),
  reason: Nullable(Type.String()),
  result: Nullable(anything),
  inWords: Type.String(),
})

const getProposals = tool({
  name: 'get_proposals',
  title: 'Get proposals',
  description: 'What waits for a person, and what people decided; one by `id`, or a list, oldest first.',
  input: Body({
    cuid,
    id: Type.Optional(Id('Proposal.')),
    status: Type.Optional(Choice(PROPOSAL_STATUSES)),
    cursor,
  }),
  output: Body({ proposals: Type.Array(ShownProposal), next, ...inEvery }),
  hints: { readOnly: true },
  async run({ id, status, cursor, ...args }, agent) {
    const cuid = customerOf(agent, args.cuid)
    const one = id === undefined ? null : (await agent.call(readProposal, { cuid, params: { id } })).body
    const list = one
      ? null
      : await agent.call(listProposals, { cuid, query: { status, limit: 20, after: cursor } })
    const all = (list?.body ?? [one!]).map(shownProposal)
    const { shown, isCut } = fitting(all)
    const more = isCut || list?.isMore ? { next: shown.at(-1)!.id } : {}
    const inWords = shown.length === 1 ? shown[0]!.inWords : `${count(shown.length, 'proposal')}.`
    return { proposals: shown, ...more, inWords, notice: NOTICE }
  },
})

export function shownProposal(
  proposal: Static<typeof listProposals.answer>[number],
): Static<typeof ShownProposal> {
  const { id, url, operation, cids, costsAtMost, status, expires, decidedBy, reason, result } = proposal
  const all = { id, url, operation, cids: cids.slice(0, 50), costsAtMost, status, expires, decidedBy, reason }
  return { ...all, result: result as Record<string, unknown> | null, inWords: DECIDED[status] }
}

export const CHANGE_TOOLS = [planChange, applyChange, pause, requestResume, undo, getProposals]
