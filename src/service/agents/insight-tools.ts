// Tools that explain: why a campaign does not deliver, what it has achieved, and what was changed.

import { type Static, Type } from 'typebox'
import { Explanation, explain, Funnel, funnel } from '../../diagnose/funnel/contract.ts'
import { Issue, listCampaignIssues } from '../../diagnose/issues/contract.ts'
import { Body, Choice, Id, UnixTime } from '../../http/schema.ts'
import { Campaign, HistoryEntry, readCampaignHistory } from '../../manage/campaigns/contract.ts'
import { DIMENSIONS, Figures, readFigures, type Summary } from '../../report/figures/contract.ts'
import { wholeCampaign } from './find-tools.ts'
import { stripped, without } from './schemas.ts'
import { campaignInWords } from './shown.ts'
import { type Agent, cuid, cursor, customerOf, fitting, inEvery, NOTICE, next, tool, zoneOf } from './tool.ts'
import { amount, count, time } from './words.ts'

const readOnly = { readOnly: true }
const MOST_PERSONAS = 5

const ShownIssue = without(Issue, ['campaign', 'cid', 'findings'])
const ShownFunnel = Body({
  pid: Funnel.properties.pid,
  requests: Funnel.properties.requests,
  sampled: Funnel.properties.sampled,
  served: Funnel.properties.served,
  refused: Type.Array(Body({ stage: Type.String(), refused: Type.Integer() })),
  explained: Type.Optional(Explanation.properties.stages),
  inWords: Type.String(),
})

const whyNotDelivering = tool({
  name: 'why_not_delivering',
  title: 'Why is it not delivering?',
  description:
    'Everything that keeps a campaign from delivering: its status, its issues, and for each persona where real ad requests of the last day were refused. With `visit`, why that one visitor would not see it.',
  input: Body({ cuid, cid: Id('Campaign.'), visit: Type.Optional(without(explain.body, ['ip', 'ua'])) }),
  output: Body({
    status: Campaign.properties.status,
    missing: Campaign.properties.missing,
    issues: Type.Array(ShownIssue),
    personas: Type.Array(ShownFunnel),
    ...inEvery,
  }),
  hints: readOnly,
  async run(args, agent) {
    const { cid, visit } = args
    const { campaign, personas, cuid, zone } = await wholeCampaign(agent, args)
    const { body: issues } = await agent.call(listCampaignIssues, { cuid, params: { cid } })
    const looked: Static<typeof ShownFunnel>[] = []
    for (const { pid } of personas.slice(0, MOST_PERSONAS))
      looked.push(await funnelOf(agent, cuid, { cid, pid }, visit))
    const { shown } = fitting(issues.map(shownIssue), 6_000)
    const money = { currency: agent.currency, zone }
    const inWords = [
      campaignInWords(campaign, money),
      issues.length === 0 ? 'It has no known issue.' : `${count(issues.length, 'issue')}: ${codes(issues)}.`,
      ...looked.map(({ inWords }) => inWords),
    ].join(' ')
    return {
      status: campaign.status,
      missing: campaign.missing,
      issues: shown,
      personas: looked,
      inWords,
      notice: NOTICE,
    }
  },
})

const codes = (issues: { code: string }[]) => [...new Set(issues.map(({ code }) => code))].join(', ')

function shownIssue({ reasons, ...issue }: Static<typeof Issue>): Static<typeof ShownIssue> {
  return stripped({ ...issue, reasons: reasons.slice(0, 5) }, ['campaign', 'cid', 'findings']) as never
}

async function funnelOf(
  { call }: Agent,
  cuid: number,
  params: { cid: number; pid: number },
  visit: Static<typeof explain.body> | undefined,
): Promise<Static<typeof ShownFunnel>> {
  const { body } = await call(funnel, { cuid, params })
  const explained = visit && (await call(explain, { cuid, params, body: visit })).body.stages
  const refused = body.stages
    .filter(stage => stage.refused > 0)
    .map(({ stage, refused }) => ({ stage, refused }))
  const most = refused.toSorted((one, other) => other.refused - one.refused)[0]
  const failed = explained?.find(({ passed }) => !passed)
  const inWords = [
    body.sampled === 0
      ? `Persona ${params.pid}: no ad requests were seen lately.`
      : `Persona ${params.pid}: ${count(body.served, 'impression')} of ${count(body.requests, 'request')}${most ? `; most were refused by ${most.stage} (${most.refused} of ${body.sampled} sampled)` : ''}.`,
    ...(failed ? [`The visitor is refused by ${failed.stage}.`] : []),
  ].join(' ')
  const { pid, requests, sampled, served } = body
  return { pid, requests, sampled, served, refused, ...(explained ? { explained } : {}), inWords }
}

const NOT_NEEDED = ['id', 'views', 'valuePerAction', 'filtered', 'today', 'until', 'soFar', 'deleted']
const ShownFigures = without(
  Body({ ...Figures.properties, isCut: Type.Optional(Type.Boolean()), ...inEvery }),
  NOT_NEEDED,
)
const MOST_ROWS = 20

const getFigures = tool({
  name: 'get_figures',
  title: 'Get figures',
  description:
    'Impressions, clicks, conversions, spend and return of a campaign, persona, banner or customer: of a period, by day or another interval, broken down by a dimension, compared with the period before. ctr and cnvr are ratios (0.01 is 1 %).',
  input: Body({
    cuid,
    id: Type.Optional(Id('Campaign, flight, persona or banner; default: the whole customer.')),
    from: Type.Optional(UnixTime({ description: 'From this moment on; default: all of its time.' })),
    to: Type.Optional(UnixTime({ description: 'Until just before this moment.' })),
    interval: Type.Optional(Choice(['hour', 'day', 'week', 'month'])),
    dimension: Type.Optional(Choice(DIMENSIONS, { description: '`from` and `to` are then whole days.' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: `Rows; default ${MOST_ROWS}.` }),
    ),
    compare: Type.Optional(Type.Boolean({ description: 'With as long a period before `from`.' })),
  }),
  output: ShownFigures,
  hints: readOnly,
  async run(args, agent) {
    const { from, to, interval, dimension, limit = MOST_ROWS, compare = false } = args
    const cuid = customerOf(agent, args.cuid)
    const before =
      compare && from !== undefined ? { previousStart: from - ((to ?? nowOf(agent)) - from) } : {}
    const query = { start: from, end: to, interval, dimension, ...(dimension ? { limit } : {}), ...before }
    const { body } = await agent.call(readFigures, { cuid, params: { id: args.id ?? cuid }, query })
    const figures = stripped(body, NOT_NEEDED)
    const soFar = body.previous?.soFar
    const rows = fitting(figures.breakdown ?? [], 5_000)
    const days = fitting(figures.timeseries ?? [], 5_000)
    const { timeseries: _, ...previous } = figures.previous ?? {}
    const zone = await zoneOf(agent, cuid)
    const period =
      from === undefined ? 'Of all time' : `From ${time(from, zone)} until ${time(to ?? nowOf(agent), zone)}`
    const inWords = [
      `${period} (${zone}): ${figuresInWords(body.summary, agent.currency)}.`,
      ...(body.previous
        ? [
            `The period before: ${figuresInWords(body.previous.summary, agent.currency)}; compare it with ${figuresInWords(soFar!, agent.currency)} of this one.`,
          ]
        : []),
    ].join(' ')
    return {
      asOf: figures.asOf,
      summary: figures.summary,
      ...(figures.timeseries ? { timeseries: days.shown } : {}),
      ...(figures.previous ? { previous } : {}),
      ...(figures.breakdown ? { breakdown: rows.shown } : {}),
      ...(rows.isCut || days.isCut ? { isCut: true } : {}),
      inWords,
      notice: NOTICE,
    } as never
  },
})

const nowOf = ({ clock }: Agent) => Math.floor(clock.nowMs() / 1000)

export function figuresInWords(figures: Omit<Static<typeof Summary>, 'id'>, currency: string): string {
  const { imps, clicks, actions, spend, ctr, roas } = figures
  const parts = [
    count(imps, 'impression'),
    `${count(clicks, 'click')} (${(ctr * 100).toFixed(2)} %)`,
    count(actions, 'conversion'),
    `${amount(spend, currency)} spent`,
  ]
  return `${parts.join(', ')}${roas > 0 ? `, return ${roas.toFixed(2)}` : ''}`
}

const ShownChange = Body({
  id: HistoryEntry.properties.id,
  at: HistoryEntry.properties.at,
  noun: HistoryEntry.properties.noun,
  nounId: HistoryEntry.properties.nounId,
  action: HistoryEntry.properties.action,
  by: Type.String(),
  changes: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  inWords: Type.String(),
})
const MOST_CHANGES = 1000
const MOST_VALUE = 300

const getHistory = tool({
  name: 'get_history',
  title: 'Get the history',
  description:
    'What was changed in a campaign, newest first: when, by whom, and the values before and after. undo takes one back by its `id`.',
  input: Body({ cuid, cid: Id('Campaign.'), cursor }),
  output: Body({ changes: Type.Array(ShownChange), next, ...inEvery }),
  hints: readOnly,
  async run({ cid, cursor, ...args }, agent) {
    const cuid = customerOf(agent, args.cuid)
    const zone = await zoneOf(agent, cuid)
    const all = await historyOf(agent, cuid, cid)
    const older = cursor === undefined ? all : all.filter(({ id }) => id < cursor)
    const wanted = older
      .slice(-MOST_ROWS)
      .reverse()
      .map(entry => shownChange(entry, zone))
    const { shown } = fitting(wanted)
    const last = shown.at(-1)
    const more = last && shown.length < older.length ? { next: last.id } : {}
    return {
      changes: shown,
      ...more,
      inWords: `${count(shown.length, 'change')}, newest first.`,
      notice: NOTICE,
    }
  },
})

/** The API reads it oldest first, in pages. Of a history that is longer than these, the newest is not reached. */
const MOST_PAGES = 10

async function historyOf({ call }: Agent, cuid: number, cid: number) {
  const all: Static<typeof HistoryEntry>[] = []
  let after: number | undefined
  for (let page = 0, isMore = true; isMore && page < MOST_PAGES; page++) {
    const answer = await call(readCampaignHistory, {
      cuid,
      params: { cid },
      query: { limit: MOST_CHANGES, after },
    })
    all.push(...answer.body)
    after = answer.body.at(-1)?.id
    isMore = answer.isMore && after !== undefined
  }
  return all
}

function shownChange(entry: Static<typeof HistoryEntry>, zone: string): Static<typeof ShownChange> {
  const { id, at, noun, nounId, action, by, before, after } = entry
  const was = stripped((before ?? {}) as Record<string, unknown>)
  const now = stripped((after ?? {}) as Record<string, unknown>)
  const names = [...new Set([...Object.keys(was), ...Object.keys(now)])]
  const changed = names.filter(name => JSON.stringify(was[name]) !== JSON.stringify(now[name]))
  const changes = Object.fromEntries(
    changed.map(name => [name, { before: small(was[name]), after: small(now[name]) }]),
  )
  const who = by.name ?? by.email ?? by.kind
  const inWords = `${time(at, zone)}: ${action} of the ${noun} ${nounId}, by a ${by.kind}.`
  return { id, at, noun, nounId, action, by: who, changes, inWords }
}

function small(value: unknown): unknown {
  const text = JSON.stringify(value ?? null)
  return text.length > MOST_VALUE ? `${text.slice(0, MOST_VALUE)} …` : (value ?? null)
}

export const INSIGHT_TOOLS = [whyNotDelivering, getFigures, getHistory]
