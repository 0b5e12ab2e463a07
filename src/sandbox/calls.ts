// What visitors do besides requesting ads, and how their calls reach the real handlers.

import { type DataAnswer, type DataRoute, routeFor } from '../http/lane/data-plane.ts'
import type { Visitor } from './visitors.ts'

export interface Purchase {
  delayMs: number
  value: string
}

/** A step that a visitor takes at its time. */
export type VisitorStep =
  | { kind: 'call'; path: string; visitor: Visitor }
  | { kind: 'click'; path: string; visitor: Visitor; purchase: Purchase | null }
  | { kind: 'buy'; click: string; visitor: Visitor; purchase: Purchase }

export interface CallParts {
  routes: readonly DataRoute[]
  /** Resolves when everything that was reported is on disk. */
  settled(): Promise<void>
}

export interface Caller {
  get(path: string, visitor: Visitor): Promise<DataAnswer>
  post(path: string, body: object): Promise<DataAnswer>
}

export function createCaller({ routes }: CallParts): Caller {
  async function handle(
    method: string,
    url: string,
    remoteAddress: string,
    agent: string,
    body: Buffer | null,
  ) {
    const [path, query = ''] = url.split('?', 2)
    const headers = {
      'user-agent': agent,
      ...(body ? { 'content-type': 'application/json', 'x-marquee-debug': '1' } : {}),
    }
    return routeFor(routes, path!)!.handle({ method, path: path!, query, headers, remoteAddress, body })
  }
  return {
    get: (path, { address, device }) => handle('GET', path, address, device.agent, null),
    post: (path, body) => handle('POST', path, '127.0.0.1', 'a site', Buffer.from(JSON.stringify(body))),
  }
}

/** The purchase after a click, if the click was counted and its visitor buys; otherwise null. */
export function purchaseAfter(
  { headers }: DataAnswer,
  { visitor, purchase }: Extract<VisitorStep, { kind: 'click' }>,
): Extract<VisitorStep, { kind: 'buy' }> | null {
  const location = String(headers.location ?? '')
  const click = URL.canParse(location) ? new URL(location).searchParams.get('mqclid') : null
  return click !== null && purchase ? { kind: 'buy', click, visitor, purchase } : null
}

export function purchasePath({ click, purchase }: Extract<VisitorStep, { kind: 'buy' }>): string {
  return `/t/a.gif?${new URLSearchParams({ click, name: 'purchase', value: purchase.value, order: click })}`
}
