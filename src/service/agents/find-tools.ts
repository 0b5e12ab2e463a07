// Tools that find: customers, campaigns and what is in them, places, categories, sizes, and what this grant may do.

import { type Static, Type } from 'typebox'
import { Body, Choice, Id, Nullable, Text } from '../../http/schema.ts'
import { isSandbox, nowSeconds } from '../../kernel/time/clock.ts'
import { listAllBanners } from '../../manage/banners/contract.ts'
import { CAMPAIGN_STATUSES, listCampaigns, readCampaign } from '../../manage/campaigns/contract.ts'
import { Ceilings } from '../../manage/customers/ceilings/contract.ts'
import { Customer, listCustomers, readCustomer } from '../../manage/customers/contract.ts'
import { listCredentials } from '../../manage/customers/credentials/contract.ts'
import { listPersonas, MAX_GEOS } from '../../manage/personas/contract.ts'
import { listProposals } from '../../manage/proposals/contract.ts'
import {
  AdSizes,
  FoundPlaces,
  findPlaces,
  listAdSizes,
  listIabCategories,
} from '../../manage/reference/contract.ts'
import { Account, readAccount } from '../../report/accounts/contract.ts'
import {
  BriefCampaign,
  briefCampaign,
  campaignInWords,
  ShownBanner,
  ShownCampaign,
  ShownPersona,
  shownBanner,
  shownCampaign,
  shownPersona,
} from './shown.ts'
import {
  type Agent,
  cuid,
  cursor,
  customerOf,
  fitting,
  ifAllowed,
  inEvery,
  NOTICE,
  next,
  tool,
  zoneOf,
} from './tool.ts'
import { amount, count, time } from './words.ts'

const readOnly = { readOnly: true }
const MOST_LISTED = 50
const DEFAULT_LISTED = 20
const limit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MOST_LISTED,
    description: `At most this many; default ${DEFAULT_LISTED}.`,
  }),
)
const q = Type.Optional(Text(1, 100, { description: 'Only those whose name contains this text.' }))

const BriefCustomer = Body({
  cuid: Customer.properties.cuid,
  company: Customer.properties.company,
  timezone: Type.String(),
  frozen: Customer.properties.frozen,
  prepaid: Customer.properties.prepaid,
})

function briefCustomer(one: Static<typeof Customer>, { ownZone }: Agent): Static<typeof BriefCustomer> {
  const { cuid, company, timezone, frozen, prepaid } = one
  return { cuid, company, timezone: timezone ?? ownZone, frozen, prepaid }
}

const findCustomers = tool({
  name: 'find_customers',
  title: 'Find customers',
  description:
    'Lists the customers (advertisers) that you may work for. Call it first if you do not know the cuid.',
  input: Body({ q, limit, cursor }),
  output: Body({ customers: Type.Array(BriefCustomer), next, ...inEvery }),
  hints: readOnly,
  async run({ q, limit = DEFAULT_LISTED, cursor }, agent) {
    const { caller, call } = agent
    if (caller.level === 'customer') {
      const found = await ifAllowed(call(readCustomer, { params: { cuid: caller.cuid } }))
      const customers = found ? [briefCustomer(found.body, agent)] : []
      return { customers, inWords: `You work for customer ${caller.cuid}.`, notice: NOTICE }
    }
    const { body, isMore } = await call(listCustomers, { query: { q, limit, after: cursor } })
    const { shown, isCut } = fitting(body.map(one => briefCustomer(one, agent)))
    const more = isMore || isCut ? { next: shown.at(-1)!.cuid } : {}
    return { customers: shown, ...more, inWords: `${count(shown.length, 'customer')}.`, notice: NOTICE }
  },
})

const findCampaigns = tool({
  name: 'find_campaigns',
  title: 'Find campaigns',
  description: 'Lists the campaigns of a customer with dates, budget and status, oldest first.',
  input: Body({ cuid, q, status: Type.Optional(Choice(CAMPAIGN_STATUSES)), limit, cursor }),
  output: Body({ campaigns: Type.Array(BriefCampaign), next, ...inEvery }),
  hints: readOnly,
  async run(args, agent) {
    const { q, status, limit = DEFAULT_LISTED, cursor } = args
    const cuid = customerOf(agent, args.cuid)
    const query = { q, status, limit, after: cursor }
    const { body, isMore } = await agent.call(listCampaigns, { cuid, query })
    const money = { currency: agent.currency, zone: await zoneOf(agent, cuid) }
    const { shown, isCut } = fitting(body.map(one => briefCampaign(one, money)))
    const more = isMore || isCut ? { next: shown.at(-1)!.cid } : {}
    const inWords = shown.length === 0 ? 'No campaign fits.' : `${count(shown.length, 'campaign')}.`
    return { campaigns: shown, ...more, inWords, notice: NOTICE }
  },
})

const cid = Id('Campaign.')
const MOST_PERSONAS = 20
const MOST_BANNERS = 40
const PERSONA_CHARACTERS = 5_000
const BANNER_CHARACTERS = 5_000

const getCampaign = tool({
  name: 'get_campaign',
  title: 'Get a campaign',
  description:
    'One campaign with its personas (whom it reaches), banners (with the result of their review), status and what is missing.',
  input: Body({ cuid, cid }),
  output: Body({
    campaign: ShownCampaign,
    personas: Type.Array(ShownPersona),
    banners: Type.Array(ShownBanner),
    isCut: Type.Optional(Type.Boolean()),
    url: Type.String(),
    ...inEvery,
  }),
  hints: readOnly,
  async run(args, agent) {
    const { campaign, personas, banners, zone } = await wholeCampaign(agent, args)
    const people = fitting(personas.map(shownPersona), PERSONA_CHARACTERS)
    const images = fitting(banners.map(shownBanner), BANNER_CHARACTERS)
    const url = `${agent.publicUrl}/console/campaigns/${args.cid}`
    return {
      campaign: shownCampaign(campaign) as never,
      personas: people.shown,
      banners: images.shown,
      ...(people.isCut || images.isCut ? { isCut: true } : {}),
      url,
      inWords: `Campaign ${args.cid}. ${campaignInWords(campaign, { currency: agent.currency, zone })}`,
      notice: NOTICE,
    }
  },
})

/** A campaign with what is in it, also for the page about it. */
export async function wholeCampaign(agent: Agent, given: { cuid?: number; cid: number }) {
  const { call } = agent
  const { cid } = given
  const cuid = customerOf(agent, given.cuid)
  const { body: campaign } = await call(readCampaign, { cuid, params: { cid } })
  const { body: personas } = await call(listPersonas, {
    cuid,
    params: { cid },
    query: { limit: MOST_PERSONAS },
  })
  const { body: banners } = await call(listAllBanners, { cuid, query: { cid, limit: MOST_BANNERS } })
  return { campaign, personas, banners, cuid, zone: await zoneOf(agent, cuid) }
}

const findPlacesTool = tool({
  name: 'find_places',
  title: 'Find places',
  description: `Countries, states and cities by the beginning of their name, with the codes that \`geos\` of a persona takes (at most ${MAX_GEOS}).`,
  input: Body({ q: Text(1, 100, { description: 'Such as "Toronto, Ontario" or "CA-ON".' }), limit }),
  output: Body({ places: FoundPlaces, ...inEvery }),
  hints: readOnly,
  async run({ q, limit = 10 }, { call }) {
    const { body } = await call(findPlaces, { query: { q, limit } })
    return {
      places: body,
      inWords: body.length === 0 ? 'No place is found.' : `${count(body.length, 'place')}.`,
    }
  },
})

const Category = Body({ code: Type.String(), name: Type.String() })
const MOST_CATEGORIES = 60

const findCategories = tool({
  name: 'find_categories',
  title: 'Find categories',
  description:
    'IAB categories by words in their names; without words, the main ones. For `cat` of a persona (pages to appear on; narrows the reach greatly) and `category` of a campaign (what is advertised).',
  input: Body({ q }),
  output: Body({ categories: Type.Array(Category), ...inEvery }),
  hints: readOnly,
  async run({ q = '' }, { call }) {
    const { body } = await call(listIabCategories)
    const wanted = q.toLowerCase().split(/\s+/).filter(Boolean)
    const all = body.flatMap(({ code, name, children }) => [
      { code, name },
      ...(q === '' ? [] : children.map(child => ({ code: child.code, name: `${name}: ${child.name}` }))),
    ])
    const fits = ({ code, name }: { code: string; name: string }) =>
      wanted.every(word => name.toLowerCase().includes(word) || code.toLowerCase() === word)
    const found = all.filter(fits).slice(0, MOST_CATEGORIES)
    return {
      categories: found,
      inWords: found.length === 0 ? 'None is found; try one word.' : `${found.length} found.`,
    }
  },
})

const listSizes = tool({
  name: 'list_ad_sizes',
  title: 'List ad sizes',
  description: 'The sizes that a banner may have, and how heavy its image file may be.',
  input: Body({}),
  output: Body({ sizes: AdSizes, ...inEvery }),
  hints: readOnly,
  async run(_, { call }) {
    const { body } = await call(listAdSizes)
    return { sizes: body, inWords: `${count(body.length, 'size')}; JPEG, PNG, GIF or WebP.` }
  },
})

/** More are not counted. */
const MOST_WAITING = 20

const Grant = Body({
  scope: Type.String(),
  campaigns: Nullable(Type.Array(Type.Integer())),
  ceilings: Nullable(Ceilings),
})

const getAccount = tool({
  name: 'get_account',
  title: 'Get the account',
  description:
    'What you may do (scope, ceilings), the customer with currency and time zone, its balance if it pays in advance, what waits for a person, and the time now.',
  input: Body({ cuid }),
  output: Body({
    customer: Nullable(BriefCustomer),
    grant: Grant,
    customerCeilings: Nullable(
      Type.Unsafe<Static<typeof Ceilings>>({ type: 'object', additionalProperties: true }),
    ),
    account: Nullable(Account),
    currency: Type.String(),
    now: Type.Integer(),
    waitingProposals: Type.Integer(),
    ...inEvery,
  }),
  hints: readOnly,
  async run(args, agent) {
    const { call, currency } = agent
    const cuid = customerOf(agent, args.cuid)
    const found = await ifAllowed(call(readCustomer, { params: { cuid } }))
    const customer = found?.body ?? null
    const account = customer?.prepaid ? (await call(readAccount, { params: { cuid } })).body : null
    const { body: waiting } = await call(listProposals, {
      cuid,
      query: { status: 'pending', limit: MOST_WAITING },
    })
    const grant = await grantOf(agent, cuid)
    const now = nowSeconds(agent.clock)
    const zone = customer?.timezone ?? agent.ownZone
    const inWords = [
      isSandbox(agent.clock) ? 'This is a sandbox: nothing here is real.' : '',
      `It is ${time(now, zone)} (${zone}).`,
      SCOPE_WORDS[grant.scope] ?? '',
      grant.ceilings === null ? '' : `Your ceilings, in ${currency}: ${JSON.stringify(grant.ceilings)}.`,
      account === null ? '' : `${amount(account.balance, currency)} of the balance is left.`,
      customer?.frozen ? 'The customer is frozen: nothing can be changed.' : '',
      waiting.length === 0 ? '' : `${count(waiting.length, 'proposal')} waiting for a person.`,
    ]
    return {
      customer: customer && briefCustomer(customer, agent),
      grant,
      customerCeilings: customer?.ceilings ?? null,
      account,
      currency,
      now,
      waitingProposals: waiting.length,
      inWords: inWords.filter(Boolean).join(' '),
      notice: NOTICE,
    }
  },
})

/** What the caller may do, as it was granted; the API decides each call by itself. */
async function grantOf({ caller, call }: Agent, cuid: number): Promise<Static<typeof Grant>> {
  if (caller.level === 'app') return { scope: caller.right, campaigns: null, ceilings: null }
  const { scope, cids, key } = caller
  const pairs = await ifAllowed(call(listCredentials, { params: { cuid } }))
  const own = pairs?.body.find(pair => pair.key === key)
  return { scope, campaigns: cids === null ? null : [...cids], ceilings: own?.ceilings ?? null }
}

const SCOPE_WORDS: Record<string, string> = {
  read: 'You may only read.',
  propose: 'You may change what costs nothing more; everything else becomes a proposal to a person.',
  spend: 'You may also start campaigns and raise budgets, within your ceilings.',
  all: 'You may do everything that your customer may.',
}

export const FIND_TOOLS = [
  findCustomers,
  findCampaigns,
  getCampaign,
  findPlacesTool,
  findCategories,
  listSizes,
  getAccount,
]
