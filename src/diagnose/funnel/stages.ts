// The stages between a request and an ad of one persona, each tested on its own, with the reason in words. Real
// requests are decided in deliver/targeting/match.ts and eligible.ts; the tests here call the same functions.

import type { DatedUser } from '../../budget/caps/caps.ts'
import type { Candidate } from '../../deliver/catalog/candidate.ts'
import { type Blocks, blocksOf } from '../../deliver/decide/blocks.ts'
import { allowsRequest, fittingBanners, flightAt, priceOf } from '../../deliver/decide/eligible.ts'
import type { Terms } from '../../deliver/decide/place.ts'
import { firstMismatch } from '../../deliver/targeting/match.ts'
import type { AdRequest, Slot } from '../../deliver/targeting/request.ts'
import { fromMicros } from '../../kernel/money.ts'
import { isOpenAt } from '../../kernel/time/hours.ts'
import { keyOfName } from '../../manage/attributes/wanted.ts'
import type { AccountCheck } from './account-check.ts'
import type { FITS, Stage } from './contract.ts'

/** What can be asked about any request, even an old one. */
export interface Asked {
  candidate: Candidate
  request: AdRequest
  /** Null: none that asks for anything. */
  source: Terms['source']
  slot: Slot
  nowMs: number
  /** The figure by which it is ranked. */
  cpmMicros: number
  /** How often its ads are expected to be clicked; null: clicks are not paid for. */
  clickRate: number | null
}

/** The same with money and caps as they are now. */
export interface Question extends Asked {
  user: DatedUser | null
  account: AccountCheck
}

export interface Verdict {
  passed: boolean
  why: string
}

type StageTest<Needs> = (question: Needs) => Verdict

type Fit = (typeof FITS)[number]

type Targeting = Candidate['persona']['targeting']

const ANYBODY: Targeting = {
  geo: { places: [] },
  cat: [],
  device: { mobile: true, tablet: true, desktop: true },
  gender: null,
  age: null,
}
const UNBLOCKED: Blocks = { category: () => false, domain: () => false, nameless: false }

function verdict(passed: boolean, yes: string, no: string): Verdict {
  return { passed, why: passed ? yes : no }
}

/** Whether the request meets the persona's targeting in one attribute, whatever the others are. */
function meets({ candidate, request }: Asked, only: keyof Targeting): boolean {
  const { targeting } = candidate.persona
  const wish = { ...ANYBODY, geo: targeting.geo, [only]: targeting[only] }
  if (only === 'geo') return firstMismatch(wish, request) === null
  // The place is not tested here: both sides get the same one.
  const mismatch = firstMismatch({ ...wish, geo: EVERYWHERE }, { ...request, country: NOWHERE })
  return mismatch === null
}

const NOWHERE = '--'
const EVERYWHERE: Targeting['geo'] = { places: [{ country: NOWHERE }] }

function placeOf({ country, region, city, lat, lon }: AdRequest): string {
  const named = [country, region, city].filter(part => part !== null).join('-')
  const position = lat === null ? '' : ` at ${lat}, ${lon}`
  return named === '' && position === ''
    ? 'nowhere that is known'
    : `${named || 'an unknown place'}${position}`
}

/** What the request says of the attributes that the persona targets. */
function saidIn({ candidate, request }: Asked): string {
  const wanted = candidate.persona.targeting.attributes
  if (wanted === undefined) return 'none is targeted'
  return wanted
    .map(({ name }) => {
      const found = request.attributes?.find(one => one.name === name)
      const values = found === undefined ? 'none' : (found.number ?? found.words.join(', '))
      return `${keyOfName(name)} = ${values}`
    })
    .join('; ')
}

const SPENT: Record<string, string> = {
  budget_spent: 'today’s budget is spent or reserved for ads that are out',
  month_spent: 'the budget of this month is spent or reserved for ads that are out',
  total_spent: 'the budget of the whole campaign is spent or reserved for ads that are out',
  flight_spent: 'the budget of flight {fid} is spent or reserved for ads that are out',
  balance_spent: 'the customer’s balance is spent or reserved for ads that are out',
}

export const STAGE_TESTS: Record<Fit, StageTest<Asked>> & Record<Exclude<Stage, Fit>, StageTest<Question>> = {
  geo: question => {
    const from = `the request comes from ${placeOf(question.request)}`
    return verdict(meets(question, 'geo'), from, `${from}, which is outside the persona's places`)
  },
  category: question => {
    const codes = question.request.categories.join(', ') || 'none'
    return verdict(
      meets(question, 'cat'),
      `the content's categories (${codes}) are wanted`,
      `the content's categories (${codes}) are not among ${question.candidate.persona.targeting.cat.join(', ')}`,
    )
  },
  device: question => {
    const device = question.request.device ?? 'unknown'
    return verdict(meets(question, 'device'), `device: ${device}`, `device: ${device}, which is not wanted`)
  },
  attribute: question => {
    const said = saidIn(question)
    return verdict(
      meets(question, 'attributes'),
      `attributes: ${said}`,
      `attributes: ${said}, which the persona does not want`,
    )
  },
  gender: question => {
    const gender = question.request.gender ?? 'unknown'
    return verdict(meets(question, 'gender'), `gender: ${gender}`, `gender: ${gender}, which is not wanted`)
  },
  age: question => {
    const age = question.request.age ?? 'unknown'
    return verdict(meets(question, 'age'), `age: ${age}`, `age: ${age}, which is not wanted`)
  },
  schedule: ({ candidate, nowMs }) =>
    verdict(
      flightAt(candidate.persona.order.campaign, nowMs) !== null,
      'the campaign is inside one of its flights',
      'the campaign is outside its flights now',
    ),
  hours: ({ candidate, nowMs }) => {
    const { hours } = candidate.persona.order.campaign
    if (hours === null) return { passed: true, why: 'the campaign delivers at any hour' }
    const clock = `by the clock of ${hours.calendar.zoneAt(nowMs)}`
    return verdict(
      isOpenAt(hours, nowMs),
      `the campaign is inside its hours ${clock}`,
      `the campaign is outside its hours ${clock}`,
    )
  },
  sites: ({ candidate, request, source }) => {
    const { sites } = candidate.persona.order.campaign
    if (sites === undefined) return { passed: true, why: 'it may be shown everywhere' }
    const where = request.app ?? request.site ?? source?.domain ?? 'a site that is not known'
    return verdict(
      allowsRequest(sites, request, source),
      `it may be shown on ${where}`,
      `its sites, or those of its customer, do not allow ${where}`,
    )
  },
  enabled: ({ candidate }) => {
    if (!candidate.customerEnabled) return { passed: false, why: 'the API access of the customer is off' }
    if (candidate.persona.order.campaign.frozen) return { passed: false, why: 'the customer is frozen' }
    if (!candidate.persona.order.campaign.enabled) return { passed: false, why: 'the campaign is paused' }
    return verdict(candidate.personaEnabled, 'campaign and persona are on', 'the persona is paused')
  },
  banner: question => {
    const sizes = question.slot.sizes.map(size => `${size.width}x${size.height}`).join(', ')
    const { pendingBanners, rejectedBanners } = question.candidate
    return verdict(
      fittingBanners(question.candidate.persona, question.slot, UNBLOCKED).length > 0,
      `there is an approved banner for ${sizes}`,
      `no approved banner for ${sizes} (in review: ${pendingBanners}, rejected: ${rejectedBanners})`,
    )
  },
  floor: ({ cpmMicros, clickRate, slot }) => {
    const cpm = fromMicros(cpmMicros)
    const floor = fromMicros(slot.floorMicros)
    const passed = cpm >= floor
    const what =
      clickRate === null
        ? `the cpm of ${cpm}`
        : `the ${cpm} that a thousand impressions are expected to bring, at a click rate of ${clickRate.toFixed(5)},`
    return verdict(passed, `${what} reaches the floor of ${floor}`, `${what} is below the floor of ${floor}`)
  },
  blocked: ({ candidate, request, slot }) => {
    const blocks = blocksOf(request)
    const { campaign } = candidate.persona.order
    if (blocks.category(campaign.category))
      return { passed: false, why: 'the campaign’s category is blocked' }
    const isFit = fittingBanners(candidate.persona, slot, blocks).length > 0
    const isBlocked = !isFit && fittingBanners(candidate.persona, slot, UNBLOCKED).length > 0
    return verdict(!isBlocked, 'the publisher does not block it', 'the publisher blocks the advertiser')
  },
  budget: ({ candidate, user, account, nowMs }) => {
    const { campaign } = candidate.persona.order
    const priceMicros = campaign.cpcMicros ?? priceOf(campaign)
    const unit = campaign.cpcMicros === undefined ? 'impression' : 'click'
    if (priceMicros > campaign.dailySpendMicros)
      return { passed: false, why: `one ${unit} costs more than the budget of a whole day` }
    const refusal = account.check(priceMicros, user)
    const spent = refusal === null ? undefined : SPENT[refusal]
    const why = spent?.replace('{fid}', String(flightAt(campaign, nowMs)))
    return verdict(spent === undefined, 'there is money left', why ?? '')
  },
  cap: ({ candidate, user, account }) => {
    const { campaign } = candidate.persona.order
    if (campaign.freq === 0) return { passed: true, why: 'the campaign has no frequency cap' }
    if (user === null) return { passed: false, why: 'a capped campaign needs to know the user' }
    // With a price of 0, so that the budget does not refuse first.
    return verdict(
      account.check(0, user) !== 'capped',
      `the user has seen it fewer than ${campaign.freq} times today`,
      `the user has had the campaign ${campaign.freq} times today`,
    )
  },
  pacing: ({ candidate, nowMs, account }) => {
    const { campaign } = candidate.persona.order
    if (campaign.pacing === 'asap') return { passed: true, why: 'the campaign spends as soon as possible' }
    return verdict(
      account.paceLag(nowMs) >= 0,
      'the campaign is not ahead of its even pace',
      'the campaign is ahead of its even pace: only a share of the requests passes',
    )
  },
}
