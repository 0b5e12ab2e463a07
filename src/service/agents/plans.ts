// A plan: a change that was tried, sealed into a text which the caller hands back to have exactly that change made. It
// holds the change itself, so no process needs to remember it. It is signed, belongs to one caller and one customer,
// and ends after a quarter of an hour. What it may do is decided again when it is applied.

import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { refusal } from '../../kernel/errors/problem.ts'
import { type Clock, nowSeconds } from '../../kernel/time/clock.ts'

export type PlanKind = 'create' | 'change'

export interface Plan {
  kind: PlanKind
  cuid: number
  /** Whether it is made, or proposed to a person. */
  fate: 'made' | 'proposed'
  body: unknown
}

export interface Opened extends Plan {
  /** The same for the same plan: it makes applying it twice the same as once. */
  name: string
}

export interface Plans {
  seal(plan: Plan, owner: string): { plan: string; expires: number }
  /** Throws if it is not a plan of this owner and kind that is still good. */
  open(text: string, owner: string, kind: PlanKind): Opened
}

export const PLAN_LASTS_S = 900
/** What a model can be expected to repeat without an error. */
export const MOST_CHARACTERS = 6_000
/** Far more than such a text holds: a sealed one never reaches it, and a forged one is not unpacked. */
const MOST_BYTES = 200_000
const MAC_BYTES = 12
const TIME_BYTES = 5
const HEAD_BYTES = 9
const PREFIX = 'plan_'
/** Words that plans have: the longer the texts that repeat them, the shorter the plan. */
const USUAL = Buffer.from(
  '{"kind":"change","fate":"proposed","cuid":10,"body":{"operations":[{"op":"editPersona","cid":10,"pid":10,"bid":10,"ifMatch":"\\"10-1\\"","body":{"createBanner"pauseCampaign"resumeCampaign"editCampaign"' +
    '{"kind":"create","fate":"made","body":{"externalId","frequency":3,"totalSpend":100,"monthlySpend":500,"cpm":2.5,"pricing":"cpc","category":["IAB17-"],"hours":{"mon":[8,9,10,11,12,13,14,15,16,17,18,19,20]},"flights":[{"name":"' +
    '"start":18000,"end":18000,"dailySpend":20,"enabled":true,"pacing":"even","personas":[{"name":"","geo":{"geos":["CA-ON-","US-"],"radius":5000,"geocode":[43.6,-79.3]},"cat":["IAB1"],' +
    '"device":{"mobile":true,"tablet":true,"desktop":true},"demo":{"gender":{"male":true,"female":true,"unknown":true},"age":{"13to17":false,"18to34":true,"35to49":true,"50+":true}},' +
    '"banners":[{"creativeURL":"https://www.example.com/300x250.png","name":"","clickUrl":"https://www.","width":300,"height":250}',
)

export function createPlans(secret: Buffer, clock: Clock): Plans {
  const sign = (bytes: Buffer, owner: string) =>
    createHmac('sha256', secret).update(`${owner}\n`).update(bytes).digest().subarray(0, MAC_BYTES)

  return {
    seal(plan, owner) {
      const expires = nowSeconds(clock) + PLAN_LASTS_S
      // With a part of chance, so that two plans of the same change are two plans.
      const head = randomBytes(HEAD_BYTES)
      head.writeUIntBE(expires, 0, TIME_BYTES)
      const packed = deflateRawSync(JSON.stringify(plan), { level: 9, dictionary: USUAL })
      const bytes = Buffer.concat([head, packed])
      const text = PREFIX + Buffer.concat([sign(bytes, owner), bytes]).toString('base64url')
      if (text.length > MOST_CHARACTERS) throw refusal('plan_too_large', { max: MOST_CHARACTERS })
      return { plan: text, expires }
    },

    open(text, owner, kind) {
      const all = text.startsWith(PREFIX) ? Buffer.from(text.slice(PREFIX.length), 'base64url') : null
      if (all === null || all.length < MAC_BYTES + HEAD_BYTES) throw refusal('plan_unusable')
      const mac = all.subarray(0, MAC_BYTES)
      const bytes = all.subarray(MAC_BYTES)
      if (!timingSafeEqual(mac, sign(bytes, owner))) throw refusal('plan_unusable')
      if (bytes.readUIntBE(0, TIME_BYTES) <= nowSeconds(clock)) throw refusal('plan_expired')
      const unpacked = inflateRawSync(bytes.subarray(HEAD_BYTES), {
        dictionary: USUAL,
        maxOutputLength: MOST_BYTES,
      })
      const plan = JSON.parse(unpacked.toString()) as Plan
      if (plan.kind !== kind) throw refusal('plan_of_another_tool', { tool: APPLIED_BY[plan.kind] })
      return { ...plan, name: `plan-${hash('sha256', all, 'hex').slice(0, 32)}` }
    },
  }
}

const APPLIED_BY: Record<PlanKind, string> = { create: 'create_campaign', change: 'apply_change' }
