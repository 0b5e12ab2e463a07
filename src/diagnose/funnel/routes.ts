// Endpoints of delivery, each with its verb. Explanations come from the database, whichever process delivers. The calls
// of exchanges and tags are only described here: the thin path (openrtb/route.ts, tags/route.ts) answers them.

import type { UserSecrets } from '../../deliver/audience/user.ts'
import { type Candidate, readCandidate } from '../../deliver/catalog/candidate.ts'
import { readClickRatesOf } from '../../deliver/click-rates/click-rates.ts'
import { type ClickRates, NO_CLICK_RATES } from '../../deliver/click-rates/rates.ts'
import { microsOfFloor } from '../../deliver/decide/floor.ts'
import { applyTerms } from '../../deliver/decide/source-terms.ts'
import { userOf } from '../../deliver/decide/user-hash.ts'
import { userSecrets } from '../../deliver/decide/user-secrets.ts'
import { withRefused } from '../../deliver/sample/sample.ts'
import { readTraffic } from '../../deliver/sample/traffic.ts'
import type { AdRequest } from '../../deliver/targeting/request.ts'
import type { Api } from '../../http/api.ts'
import type { FieldError } from '../../kernel/errors/field-error.ts'
import { invalidField, invalidInput, notFound } from '../../kernel/errors/problem.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import { type AttributeBook, EMPTY_BOOK, readAttributeBook } from '../../manage/attributes/book.ts'
import { type Source, sourceWithId } from '../../manage/sources/sources.ts'
import type { Db } from '../../platform/database.ts'
import { secretNamed } from '../../platform/secrets.ts'
import { readAccount } from './account-check.ts'
import * as contract from './contract.ts'
import { explainRequest, funnelOf, sinceItBegan } from './funnel.ts'

/** The default period of the funnel. */
const DEFAULT_HOURS = 24

export interface DeliveryRouteParts {
  clock: Clock
  calendar: Calendar
  /** Reads the body of `explain` as an ad request; it has the fields that a tag would send. */
  readVisit: (
    visit: object,
    secrets: UserSecrets,
    book: AttributeBook,
  ) => { request: AdRequest } | { errors: FieldError[] }
  /** The persona with the ids in the path; a Problem (404) if the customer has no such persona. */
  findPersona: (
    db: Db,
    call: { cuid: number },
    path: Record<string, string>,
  ) => Promise<{ persona: { pid: number } }>
  /** Impressions of a persona since `sinceS`. */
  impsOf: (db: Db, cuid: number, pid: number, sinceS: number) => Promise<number>
}

export function deliveryRoutes(
  api: Api,
  { clock, calendar, readVisit, findPersona, impsOf }: DeliveryRouteParts,
): void {
  for (const endpoint of [contract.bid, contract.siteBid, contract.ad, contract.adHtml, contract.tagScript])
    api.describe(endpoint)

  api.bind(contract.explain, {
    find: call => findPersona(call.db, call, call.params),
    handle: async call => {
      const secretsAt = userSecrets(await secretNamed(call.db, 'user'), calendar)
      const { floor, sourceId, app, ...visit } = call.body
      const source = sourceId == null ? null : await sourceNamed(call.db, sourceId)
      const nowMs = clock.nowMs()
      const book = visit.attributes ? await readAttributeBook(call.db, call.caller.appId) : EMPTY_BOOK
      const parsed = readVisit(visit, secretsAt(nowMs), book)
      if ('errors' in parsed) throw invalidInput(parsed.errors)
      const asked = parsed.request
      for (const slot of asked.slots) slot.floorMicros = microsOfFloor(floor ?? 0)
      asked.app = app ?? null
      if (source) applyTerms(asked, source)
      const request = source ? withRefused(asked, source) : asked
      const candidate = await readCandidate(call.db, call.found.persona.pid, calendar)
      if (!candidate) throw notFound('persona')
      const { campaign } = candidate.persona.order
      const user = userOf(request, calendar.dayAt(nowMs).key)
      const account = await readAccount(call.db, campaign, user ? [user] : [], calendar, nowMs)
      const rates = await ratesOf(call.db, candidate, nowMs)
      return explainRequest(candidate, request, source, { account, user, rates, nowMs })
    },
  })
  api.bind(contract.funnel, {
    find: call => findPersona(call.db, call, call.params),
    handle: async call => {
      const nowMs = clock.nowMs()
      const candidate = await readCandidate(call.db, call.found.persona.pid, calendar)
      if (!candidate) throw notFound('persona')
      const hours = (call.query.hours as number | undefined) ?? DEFAULT_HOURS
      const seen = sinceItBegan(await readTraffic(call.db, hours, nowMs), candidate)
      const served = await impsOf(call.db, call.cuid, candidate.persona.pid, seen.sinceMs / 1000)
      return funnelOf(candidate, seen, await ratesOf(call.db, candidate, nowMs), served)
    },
  })
}

/** If impressions are paid for, nothing is read. */
async function ratesOf(db: Db, { persona }: Candidate, nowMs: number): Promise<ClickRates> {
  if (persona.order.campaign.cpcMicros === undefined) return NO_CLICK_RATES
  return readClickRatesOf(db, persona.banners, nowMs)
}

async function sourceNamed(db: Db, sourceId: number): Promise<Source> {
  const source = await sourceWithId(db, sourceId)
  if (!source) throw invalidField('/sourceId', 'unknown_source', { value: sourceId })
  return source
}
