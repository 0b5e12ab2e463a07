// The visitor who requested an ad, as its link carries it: 24 bits each of a keyed hash of the network and of the
// agent, different for every ad. The pixel must match them. Nobody can read the visitor from a link.

import { hash } from 'node:crypto'
import { networkOf } from '../../platform/network.ts'
import type { ServedAd } from './ad.ts'

/** Null fields are unknown, and not checked. */
export interface Visitor {
  address: string | null
  agent: string | null
}

export type VisitorMark = Pick<ServedAd, 'networkHash' | 'agentHash'>

const MARK_HEX_CHARS = 6
const LONGEST_AGENT = 1024

/** `salt`: a secret that all processes of the deployment share. */
export function markOf(visitor: Visitor, adId: string, salt: string): VisitorMark {
  return {
    networkHash: visitor.address === null ? null : networkHash(visitor.address, adId, salt),
    agentHash: visitor.agent === null ? null : agentHash(visitor.agent, adId, salt),
  }
}

/** Whether a call about this ad comes from another network or agent than the request for it. */
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
 * The browser that clicked, which the click's event has in place of a user: a hash of its agent without numbers,
 * because they change with every update. Never 0.
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

// A keyed prefix is safe here: only 24 bits of the digest are used, so it cannot be extended.
function bits(text: string): number {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, MARK_HEX_CHARS), 16)
}
