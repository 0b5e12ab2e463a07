// The visitor who requested an ad, as its link carries it: 24 bits each of a keyed hash of the network and of the
// agent, different for every ad. The pixel must match them; no one can read the visitor from a link.

import { hash } from 'node:crypto'
import { networkOf } from '../platform/network.ts'
import type { ServedAd } from './ad.ts'

/** Null: not known, and not checked. */
export interface Visitor {
  address: string | null
  agent: string | null
}

export type VisitorMark = Pick<ServedAd, 'networkHash' | 'agentHash'>

const MARK_HEX_CHARS = 6
const LONGEST_AGENT = 1024

/** `salt`: secret, the same for all processes of the deployment. */
export function markOf(visitor: Visitor, adId: string, salt: string): VisitorMark {
  return {
    networkHash: visitor.address === null ? null : networkHash(visitor.address, adId, salt),
    agentHash: visitor.agent === null ? null : agentHash(visitor.agent, adId, salt),
  }
}

/** Whether a call about this ad comes from another network or agent than the one that asked for it. */
export function isAnother(
  ad: VisitorMark & Pick<ServedAd, 'adId'>,
  address: string,
  agent: string,
  salt: string,
): boolean {
  if (ad.networkHash !== null && ad.networkHash !== networkHash(address, ad.adId, salt)) return true
  return ad.agentHash !== null && ad.agentHash !== agentHash(agent, ad.adId, salt)
}

/**
 * The browser that clicked, as the click's event carries it in place of a user: its agent without numbers, which change
 * with every update. Never 0.
 */
export function browserMark(agent: string, adId: string, salt: string): number {
  return bits(`${salt}\0browser\0${adId}\0${agent.slice(0, LONGEST_AGENT).replace(/[0-9]+/g, '')}`) || 1
}

function networkHash(address: string, adId: string, salt: string): number {
  return bits(`${salt}\0network\0${adId}\0${networkOf(address)}`)
}

function agentHash(agent: string, adId: string, salt: string): number {
  return bits(`${salt}\0agent\0${adId}\0${agent.slice(0, LONGEST_AGENT)}`)
}

// A keyed prefix is enough: of the digest 24 bits are used, so it cannot be extended.
function bits(text: string): number {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, MARK_HEX_CHARS), 16)
}
