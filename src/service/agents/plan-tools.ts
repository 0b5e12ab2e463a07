// Tools that plan and create a campaign: a plan is a dry run with what it can cost and whom it reaches; the campaign is
// made from the plan, paused unless the grant may let it spend.

import { type Static, type TSchema, Type } from 'typebox'
import { estimateReach, Reach } from '../../diagnose/reach/contract.ts'
import { Body, Choice, Id, Nullable, Text } from '../../http/schema.ts'
import { invalidField } from '../../kernel/errors/problem.ts'
import { createBanner, IMAGE_TYPES, uploadCreative } from '../../manage/banners/contract.ts'
import { createCampaign, NewOrder } from '../../manage/orders/contract.ts'
import { isAboveCeiling, needsPerson, proposalIn, Waiting } from './approvals.ts'
import type { Answered } from './calls.ts'
import { MOST_CHARACTERS } from './plans.ts'
import { without } from './schemas.ts'
import { BriefCampaign, briefCampaign, campaignInWords, ShownBanner, shownBanner } from './shown.ts'
import { type Agent, cuid, customerOf, inEvery, NOTICE, tool, zoneOf } from './tool.ts'
import { amount, time } from './words.ts'

export const planText = Text(1, MOST_CHARACTERS, { description: 'The plan, exactly as it was answered.' })

const BECOMES = ['starts', 'created_paused', 'proposal'] as const
type Becomes = (typeof BECOMES)[number]

type Order = Static<typeof NewOrder>
/** What a dry run answers besides. */
interface Tried {
  costsAtMost: number
  wouldPropose?: true
}

const NewCampaignOrder = without(NewOrder)

const planCampaign = tool({
  name: 'plan_campaign',
  title: 'Plan a campaign',
  description:
    'Tries a new campaign with its personas and banners, and stores nothing. Answers the most it can cost, how many recent ad requests each persona fits, the price that wins, and a `plan` for create_campaign, good for 15 minutes. Find places and categories first.',
  input: Body({ cuid, campaign: NewCampaignOrder }),
  output: Body({
    plan: Type.String(),
    expires: Type.Integer(),
    becomes: Choice(BECOMES),
    costsAtMost: Type.Number(),
    reach: Type.Array(without(Reach, ['since', 'sampled'])),
    ...inEvery,
  }),
  hints: { readOnly: true },
  async run(args, agent) {
    const cuid = customerOf(agent, args.cuid)
    const order = args.campaign as Order
    const { becomes, tried, sent } = await fateOf(order, cuid, agent)
    const fate = becomes === 'proposal' ? 'proposed' : 'made'
    const sealed = agent.plans.seal({ kind: 'create', cuid, fate, body: sent }, agent.caller.key)
    const reach = await reachOf(order, cuid, agent)
    const zone = await zoneOf(agent, cuid)
    const inWords = [
      campaignInWords({ ...tried, status: 'scheduled' } as never, { currency: agent.currency, zone }).replace(
        / It has not begun yet\./,
        '',
      ),
      `It can cost at most ${amount(tried.costsAtMost, agent.currency)} until its end.`,
      BECOMES_WORDS[becomes],
      ...reach.map((one, n) => reachInWords(one, n + 1, agent.currency)),
      `The plan is good until ${time(sealed.expires, zone)}.`,
    ].join(' ')
    return { ...sealed, becomes, costsAtMost: tried.costsAtMost, reach: reach as never, inWords }
  },
})

const BECOMES_WORDS: Record<Becomes, string> = {
  starts: 'create_campaign will start it on its own: this grant may spend that much.',
  created_paused:
    'create_campaign will create it paused, which costs nothing; request_resume then asks a person to start it.',
  proposal: 'create_campaign will propose it to a person: even paused it exceeds what this grant may set.',
}

/** Tries the order as it would run, then, if the grant may not let it spend, as it can be created. */
async function fateOf(order: Order, cuid: number, { call }: Agent) {
  const tryIt = async (enabled: boolean, propose?: true) => {
    const body = { ...order, enabled }
    const query = { dryRun: true, propose }
    return ((await call(createCampaign, { cuid, query, body })) as Answered<unknown>).body as Tried
  }
  const orNull = (trial: Promise<Tried>) =>
    trial.catch(error => {
      if (isAboveCeiling(error)) return null
      throw error
    })
  const tried = await orNull(tryIt(true))
  const isFree = tried !== null && !tried.wouldPropose
  if (isFree) {
    const isOn = order.enabled ?? true
    const becomes: Becomes = isOn ? 'starts' : 'created_paused'
    return { becomes, tried, sent: { ...order, enabled: isOn } }
  }
  const whole = tried ?? (await tryIt(true, true))
  const paused = await orNull(tryIt(false))
  if (paused && !paused.wouldPropose)
    return { becomes: 'created_paused' as Becomes, tried: whole, sent: { ...order, enabled: false } }
  return { becomes: 'proposal' as Becomes, tried: whole, sent: { ...order, enabled: order.enabled ?? true } }
}

const MOST_REACHES = 5

async function reachOf(order: Order, cuid: number, { call }: Agent) {
  const asked = Object.keys((estimateReach.body as TSchema as unknown as { properties: object }).properties)
  const found: Omit<Static<typeof Reach>, 'since' | 'sampled'>[] = []
  for (const persona of (order.personas ?? []).slice(0, MOST_REACHES)) {
    const sizes = (persona.banners ?? []).flatMap(({ width, height }) =>
      width && height ? [`${width}x${height}`] : [],
    )
    const audience = Object.fromEntries(Object.entries(persona).filter(([name]) => asked.includes(name)))
    const { hours, cpm } = order
    const body = { ...audience, hours, sizes: [...new Set(sizes)], cpm }
    const { since: _, sampled: _1, ...reach } = (await call(estimateReach, { cuid, body })).body
    found.push({ ...reach, sizes: reach.sizes.slice(0, 5) })
  }
  return found
}

function reachInWords(
  reach: Pick<Static<typeof Reach>, 'requests' | 'fits' | 'affordable' | 'winning'>,
  n: number,
  currency: string,
) {
  const { requests, fits, affordable, winning } = reach
  if (requests === 0) return `Persona ${n}: there were no ad requests lately to compare with.`
  const price =
    winning === null ? '' : `; ${amount(winning.half, currency)} per 1,000 would have won half of them`
  const number = (value: number) => value.toLocaleString('en')
  return `Persona ${n} fits ${number(fits)} of ${number(requests)} recent requests, and ${number(affordable)} at this price${price}.`
}

const createCampaignTool = tool({
  name: 'create_campaign',
  title: 'Create a campaign',
  description:
    'Creates the campaign of a plan, once: the same plan again answers the same campaign. Then upload_creative if it has no banner, and request_resume if it was created paused.',
  input: Body({ plan: planText }),
  output: Body({
    campaign: Type.Optional(BriefCampaign),
    url: Type.Optional(Type.String()),
    proposal: Type.Optional(Waiting),
    ...inEvery,
  }),
  hints: { idempotent: true },
  async run(args, agent) {
    const { cuid, body, fate, name } = agent.plans.open(args.plan, agent.caller.key, 'create')
    const query = fate === 'proposed' ? { propose: true } : {}
    const made = await agent.call(createCampaign, { cuid, query, body, idempotencyKey: name })
    const zone = await zoneOf(agent, cuid)
    const proposal = proposalIn(made)
    if (proposal) return needsPerson(proposal, agent, zone)
    const { personas: _, flights: _1, ...campaign } = made.body as Static<typeof createCampaign.answer>
    const shown = briefCampaign(campaign, { currency: agent.currency, zone })
    const inWords = `Campaign ${campaign.cid} is created. ${shown.inWords}`
    const url = `${agent.publicUrl}/console/campaigns/${campaign.cid}`
    return { campaign: shown, url, inWords, notice: NOTICE }
  },
})

const MOST_IMAGE_CHARACTERS = 900_000

const uploadCreativeTool = tool({
  name: 'upload_creative',
  title: 'Upload an image',
  description:
    'Takes an image by its address (`url`) or its bytes (`base64`), and with `cid` and `pid` makes it a banner of that persona, which is then reviewed. An image with an address needs no upload before plan_campaign: give it there as `creativeURL`.',
  input: Body({
    cuid,
    url: Type.Optional(Text(1, 2000, { description: 'Address of the image.' })),
    base64: Type.Optional(Text(1, MOST_IMAGE_CHARACTERS, { description: 'Bytes of the image.' })),
    type: Type.Optional(Choice(IMAGE_TYPES, { description: 'With `base64`.' })),
    cid: Type.Optional(Id('Campaign.')),
    pid: Type.Optional(Id('Persona.')),
    name: Type.Optional(Text(1, 255)),
    clickUrl: Type.Optional(
      Text(1, 2000, { description: 'Where a click leads; default: the website of the customer.' }),
    ),
  }),
  output: Body({
    creativeURL: Type.String(),
    banner: Nullable(ShownBanner),
    proposal: Type.Optional(Waiting),
    ...inEvery,
  }),
  hints: {},
  async run(args, agent) {
    const { url, base64, type, cid, pid, name, clickUrl } = args
    if ((url === undefined) === (base64 === undefined))
      throw url === undefined
        ? invalidField('/url', 'required')
        : invalidField('/base64', 'not_together', { field: 'url' })
    if ((cid === undefined) !== (pid === undefined))
      throw invalidField(cid === undefined ? '/cid' : '/pid', 'given_together', {
        field: cid === undefined ? 'pid' : 'cid',
      })
    if (url !== undefined && cid === undefined) throw invalidField('/cid', 'required_with', { field: 'url' })
    const cuid = customerOf(agent, args.cuid)
    const creativeURL = url ?? (await upload(agent, cuid, base64!, type)).creativeURL
    if (cid === undefined || pid === undefined)
      return { creativeURL, banner: null, inWords: 'The image is kept. Use its creativeURL in a banner.' }
    const made = await agent.call(createBanner, {
      cuid,
      params: { cid, pid },
      body: { creativeURL, name, clickUrl },
    })
    const banner = shownBanner(made.body)
    const inWords = `Banner ${made.body.bid} is ${made.body.status}. The review takes a few seconds: get_campaign has its result.`
    return { creativeURL, banner, inWords, notice: NOTICE }
  },
})

async function upload({ call }: Agent, cuid: number, base64: string, type = 'application/octet-stream') {
  const data = Buffer.from(base64, 'base64')
  return (await call(uploadCreative, { cuid, bytes: { type, data } })).body
}

export const PLAN_TOOLS = [planCampaign, createCampaignTool, uploadCreativeTool]
