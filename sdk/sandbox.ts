// For tests on a sandbox: its clock, its visitors, and its messages, as calls that return when everything is done.

import type { Client } from './client.ts'
import type { InputOf, OutputOf } from './endpoints.ts'
import { sleep } from './waits.ts'

export type SandboxClock = OutputOf<'readSandboxClock'>
export type SandboxTraffic = OutputOf<'readSandboxTraffic'>
export type SandboxVisitors = InputOf<'sendSandboxTraffic'>['body']

/** The parts are added up. */
export interface Span {
  days?: number
  hours?: number
  minutes?: number
  seconds?: number
}

export interface Sandbox {
  clock(): Promise<SandboxClock>
  /** Moves the clock forward; the answer has everything that happened on the way. */
  advance(span: Span): Promise<SandboxClock>
  /** The same, to a Unix time. */
  advanceTo(time: number): Promise<SandboxClock>
  /** Sends visitors, and returns when they are gone: what they did. */
  traffic(visitors: SandboxVisitors): Promise<SandboxTraffic>
  /** Sends an event to the webhooks, with the current state of the object. */
  send(event: InputOf<'sendSandboxEvent'>['body']): Promise<OutputOf<'sendSandboxEvent'>>
  /** What arrived at `/sandbox/inbox`, oldest first. */
  inbox(): Promise<OutputOf<'readSandboxInbox'>>
  /** Sent emails, oldest first; `to`: only those to this address. */
  outbox(to?: string): Promise<OutputOf<'readSandboxOutbox'>>
  /** Resets it to its first start: no customers, figures or messages, but the same keys of the app. */
  reset(): Promise<SandboxClock>
}

const WAIT_MS = 200

/** `client` has the super pair of the sandbox. */
export function createSandbox(client: Client): Sandbox {
  async function moved(answer: SandboxClock): Promise<SandboxClock> {
    let state = answer
    while (state.target !== null) {
      await sleep(WAIT_MS, undefined)
      state = await client.readSandboxClock()
    }
    return state
  }
  return {
    clock: () => client.readSandboxClock(),
    advance: async ({ days = 0, hours = 0, minutes = 0, seconds = 0 }) => {
      const by = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
      return moved(await client.moveSandboxClock({ body: { by } }))
    },
    advanceTo: async time => moved(await client.moveSandboxClock({ body: { to: time } })),
    async traffic(visitors) {
      let state = await client.sendSandboxTraffic({ body: visitors })
      while (!state.done) {
        await sleep(WAIT_MS, undefined)
        state = await client.readSandboxTraffic()
      }
      return state
    },
    send: event => client.sendSandboxEvent({ body: event }),
    inbox: () => client.readSandboxInbox(),
    reset: () => client.resetSandbox(),
    outbox: to => client.readSandboxOutbox(to === undefined ? {} : { to }),
  }
}
