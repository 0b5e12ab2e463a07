// The calls that only a sandbox has: its clock, its visitors, what it sent, and a new beginning.

import { type Static, Type } from 'typebox'
import { endpoint } from '../http/endpoint.ts'
import { Body, Id, Nullable, UnixTime } from '../http/schema.ts'

const MOST_MOVE_S = 10 * 366 * 86_400

export const Happening = Body({
  time: UnixTime({ description: 'When it happened, by the clock of the sandbox.' }),
  kind: Type.String({
    description:
      '`midnight` of a time zone, `mail`, or an event as webhooks report it, such as `campaign.ended`; also if no webhook asks for it.',
  }),
  zone: Type.Optional(Type.String({ description: 'Whose midnight it is.' })),
  cuid: Type.Optional(Id('The customer it is about.')),
  cid: Type.Optional(Id('Campaign.')),
  fid: Type.Optional(Id('Flight.')),
  pid: Type.Optional(Id('Persona.')),
  bid: Type.Optional(Id('Banner.')),
  to: Type.Optional(Type.String({ description: 'Who gets the mail.' })),
  subject: Type.Optional(Type.String({ description: 'What it is about.' })),
})
export type Happening = Static<typeof Happening>

export const ClockState = Body({
  now: UnixTime({ description: 'What the clock says.' }),
  start: UnixTime({ description: 'What it said first.' }),
  target: Nullable(UnixTime({ description: 'Where it is being moved to; null: it stands still.' })),
  progress: Nullable(
    Type.Number({ description: 'How much of the way is done, from 0 to 1; null likewise.' }),
  ),
  events: Type.Array(Happening, {
    description: 'What has happened since the last move began, in order; the first 10,000.',
  }),
})
export type ClockState = Static<typeof ClockState>

const MOVED = {
  now: 1_790_086_400,
  start: 1_790_000_000,
  target: null,
  progress: null,
  events: [{ time: 1_790_035_200, kind: 'midnight', zone: 'UTC' }],
}

export const readClock = endpoint({
  id: 'readSandboxClock',
  method: 'GET',
  path: '/sandbox/clock',
  tag: 'Sandbox',
  summary: 'What the clock of the sandbox says',
  description: 'It stands still until it is moved.',
  access: 'app',
  answer: ClockState,
  examples: { answer: MOVED },
})

export const moveClock = endpoint({
  id: 'moveSandboxClock',
  method: 'POST',
  path: '/sandbox/clock',
  tag: 'Sandbox',
  summary: 'Move the clock of the sandbox',
  description:
    'Forward only. Everything that falls due on the way happens, in order and at its own time, before the call answers: midnights, starts and ends of campaigns, attempts of webhooks and mails, reviews, reports, folding, hourly export. A move that takes longer than 20 seconds goes on by itself: the call answers 202, and `GET /sandbox/clock` says how far it is.',
  access: 'app',
  body: Body({
    by: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MOST_MOVE_S, description: 'Seconds. Either this or `to`.' }),
    ),
    to: Type.Optional(UnixTime({ description: 'A time that has not passed.' })),
  }),
  answer: ClockState,
  otherStatuses: { 202: 'It is still being moved; `events` has what happened so far.' },
  problems: ['conflict'],
  examples: { body: { by: 86_400 }, answer: MOVED },
})

export const SentMail = Body({
  time: UnixTime({ description: 'When it was sent, by the clock of the sandbox.' }),
  to: Type.String({ description: 'Who gets it.' }),
  subject: Type.String({ description: 'Its subject.' }),
  text: Type.String({ description: 'Its plain text.' }),
  html: Type.String({ description: 'The same as HTML.' }),
})
export type SentMail = Static<typeof SentMail>

export const readOutbox = endpoint({
  id: 'readSandboxOutbox',
  method: 'GET',
  path: '/sandbox/outbox',
  tag: 'Sandbox',
  summary: 'Mails that the sandbox has sent',
  description: 'The last 1,000 since it was started, oldest first.',
  access: 'app',
  query: { to: { schema: Type.String({ maxLength: 254 }), description: 'Only those to this address.' } },
  answer: Type.Array(SentMail),
  examples: {
    answer: [
      {
        time: 1_790_086_400,
        to: 'ann@bikes.example',
        subject: 'Your passcode: 000000',
        text: '000000',
        html: '<p>000000</p>',
      },
    ],
  },
})

export const ReceivedCall = Body({
  time: UnixTime({ description: 'When it came, by the clock of the sandbox.' }),
  method: Type.String({ description: 'POST, for a webhook.' }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'As they came, with names in lower case.',
  }),
  body: Type.String({ description: 'As it came, byte for byte: what the signature is for.' }),
})
export type ReceivedCall = Static<typeof ReceivedCall>

export const readInbox = endpoint({
  id: 'readSandboxInbox',
  method: 'GET',
  path: '/sandbox/inbox',
  tag: 'Sandbox',
  summary: 'Webhooks that the sandbox has received',
  description:
    'A receiver for webhooks, so that a test needs no server of its own: register `<base>/sandbox/inbox` as the address of a webhook. The last 10,000 calls since the sandbox was started, oldest first.',
  access: 'app',
  answer: Type.Array(ReceivedCall),
  examples: {
    answer: [
      {
        time: 1_790_086_400,
        method: 'POST',
        headers: { 'webhook-id': 'msg_1', 'x-marquee-sandbox': '1790086400' },
        body: '{"type":"campaign.ended","timestamp":"2026-09-22T13:33:20.000Z","data":{}}',
      },
    ],
  },
})
