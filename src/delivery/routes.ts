// Endpoints of delivery → what they do. The calls of exchanges and tags are only described here: the thin path
// (openrtb/route.ts, tags/route.ts) answers them.

import { readCandidate } from '../catalog/candidate.ts'
import type { Clock } from '../kernel/clock.ts'
import { type FieldError, invalidInput, notFound, Problem } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import type { Api } from '../platform/http/api.ts'
import type { AdRequest } from '../targeting/request.ts'
import type { UserSecrets } from './audience/user.ts'
import * as contract from './contract.ts'
import type { Delivery } from './delivery.ts'
import { microsOfFloor } from './floor.ts'
import { explainRequest, funnelOf } from './funnel/funnel.ts'

export interface DeliveryRouteParts {
  delivery: Delivery
  clock: Clock
  /** The body of `explain` as a request; it is what a tag would send. */
  readVisit: (visit: object, secrets: UserSecrets) => { request: AdRequest } | { errors: FieldError[] }
  /** The persona of a path's ids; a Problem (404) where the customer has none such. */
  findPersona: (db: Db, cuid: number, cid: string, pid: string) => Promise<{ persona: { pid: number } }>
}

export function deliveryRoutes(
  api: Api,
  { delivery, clock, readVisit, findPersona }: DeliveryRouteParts,
): void {
  for (const endpoint of [contract.bid, contract.ad, contract.adHtml, contract.tagScript])
    api.describe(endpoint)

  function running() {
    const now = delivery.running()
    if (!now) throw new Problem('unavailable', 'delivery is starting')
    return now
  }

  api.bind(contract.explain, {
    find: call => findPersona(call.db, call.cuid, call.params.cid!, call.params.pid!),
    handle: async call => {
      const { ledger, secretsAt } = running()
      const { floor, ...visit } = call.body
      const nowMs = clock.nowMs()
      const parsed = readVisit(visit, secretsAt(nowMs))
      if ('errors' in parsed) throw invalidInput(parsed.errors)
      for (const slot of parsed.request.slots) slot.floorMicros = microsOfFloor(floor ?? 0)
      const candidate = await readCandidate(call.db, call.found.persona.pid)
      if (!candidate) throw notFound('persona')
      return explainRequest(candidate, parsed.request, { ledger, nowMs })
    },
  })
  api.bind(contract.funnel, {
    find: call => findPersona(call.db, call.cuid, call.params.cid!, call.params.pid!),
    handle: async call => {
      const { ledger } = running()
      const candidate = await readCandidate(call.db, call.found.persona.pid)
      if (!candidate) throw notFound('persona')
      return funnelOf(candidate, delivery.sample, { ledger, nowMs: clock.nowMs() })
    },
  })
}
