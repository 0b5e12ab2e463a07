// Endpoints of delivery → what they do. The calls of exchanges and tags are only described here: the thin path
// (openrtb/route.ts, tags/route.ts) answers them.

import { readCandidate } from '../catalog/candidate.ts'
import type { Api } from '../http/api.ts'
import type { Clock } from '../kernel/clock.ts'
import { type FieldError, invalidInput, notFound, Problem } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import type { AdRequest } from '../targeting/request.ts'
import type { UserSecrets } from './audience/user.ts'
import * as contract from './contract.ts'
import { microsOfFloor } from './floor.ts'
import { explainRequest, funnelOf, userOf } from './funnel/funnel.ts'
import type { FunnelInputs } from './funnel/inputs.ts'

export interface DeliveryRouteParts {
  /** The source of explanations; null while there is none yet. */
  funnelInputs: () => FunnelInputs | null
  clock: Clock
  /** The body of `explain` as a request; it is what a tag would send. */
  readVisit: (visit: object, secrets: UserSecrets) => { request: AdRequest } | { errors: FieldError[] }
  /** The persona of a path's ids; a Problem (404) where the customer has none such. */
  findPersona: (db: Db, cuid: number, cid: string, pid: string) => Promise<{ persona: { pid: number } }>
}

export function deliveryRoutes(
  api: Api,
  { funnelInputs, clock, readVisit, findPersona }: DeliveryRouteParts,
): void {
  for (const endpoint of [contract.bid, contract.siteBid, contract.ad, contract.adHtml, contract.tagScript])
    api.describe(endpoint)

  function mustSee(): FunnelInputs {
    const now = funnelInputs()
    if (!now) throw new Problem('unavailable', 'delivery is starting')
    return now
  }

  api.bind(contract.explain, {
    find: call => findPersona(call.db, call.cuid, call.params.cid!, call.params.pid!),
    handle: async call => {
      const { account, secretsAt } = mustSee()
      const { floor, ...visit } = call.body
      const nowMs = clock.nowMs()
      const parsed = readVisit(visit, secretsAt(nowMs))
      if ('errors' in parsed) throw invalidInput(parsed.errors)
      for (const slot of parsed.request.slots) slot.floorMicros = microsOfFloor(floor ?? 0)
      const candidate = await readCandidate(call.db, call.found.persona.pid)
      if (!candidate) throw notFound('persona')
      const { campaign } = candidate.persona.order
      const user = userOf(parsed.request)
      const ledger = await account(call.db, campaign, user ? [user] : [], nowMs)
      return explainRequest(candidate, parsed.request, { ledger, nowMs })
    },
  })
  api.bind(contract.funnel, {
    find: call => findPersona(call.db, call.cuid, call.params.cid!, call.params.pid!),
    handle: async call => {
      const { account, traffic } = mustSee()
      const nowMs = clock.nowMs()
      const candidate = await readCandidate(call.db, call.found.persona.pid)
      if (!candidate) throw notFound('persona')
      const seen = await traffic(call.db, candidate.persona.pid, nowMs)
      const users = seen.kept.map(userOf).filter(user => user !== null)
      const ledger = await account(call.db, candidate.persona.order.campaign, users, nowMs)
      return funnelOf(candidate, seen, { ledger, nowMs })
    },
  })
}
