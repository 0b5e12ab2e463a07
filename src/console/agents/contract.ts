// Programs that act for the signed-in person: what one asks for, the person's answer, and how its access ends.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Created, Deleted, Id, Maybe, Nullable, Text, UnixTime } from '../../http/schema.ts'
import { AGENT_SCOPES, type AgentScope } from '../../kernel/permissions.ts'
import { Ceilings } from '../../manage/customers/ceilings/contract.ts'
import { common, ONLY_CONSOLE } from '../contract.ts'

export { AGENT_SCOPES, type AgentScope }

const request = Text(1, 9_000, { description: 'As in the address of the page: what the program asks for.' })
const scope = Choice(AGENT_SCOPES, {
  description:
    'What it may do: `read`; `propose`: also everything that costs nothing more; `spend`: also what costs more.',
})
const program = {
  name: Type.String({ description: 'What the program calls itself. Nobody has checked it.' }),
  host: Nullable(
    Type.String({
      description: 'The host whose document describes the program. Null: it may be anybody’s program.',
    }),
  ),
}
const redirect = Type.String({ description: 'Where the browser goes next: back to the program.' })
const cuid = Id('Customer id.')
const company = Type.String({ description: 'Name of the company.' })

export const AgentAsked = Body({
  ...program,
  goesTo: Type.String({ description: 'The host that the answer goes to.' }),
  isLocal: Type.Boolean({ description: 'The answer goes to a program on the device of the person.' }),
  asked: Nullable(scope),
  customers: Type.Array(
    Body({
      cuid,
      company,
      most: Choice(AGENT_SCOPES, { description: 'The most that the person may give.' }),
    }),
    { description: 'The customers that the person works for.' },
  ),
  until: UnixTime({ description: 'When it ends at the latest.' }),
  shown: Type.String({ description: 'To be sent with the consent: what is approved is what was shown.' }),
  denied: redirect,
})
export type AgentAsked = Static<typeof AgentAsked>

export const AgentRefused = Body({
  refused: Type.String({ description: 'Why it cannot be granted.' }),
  back: redirect,
})

export const ApproveAgent = Body({
  request,
  shown: Text(1, 100, { description: 'From the answer that described the program.' }),
  cuid,
  scope,
  ceilings: Maybe(Ceilings),
})
export type ApproveAgent = Static<typeof ApproveAgent>

export const OwnAgent = Body({
  key: Type.String({ description: 'The key of its pair, as histories have it.' }),
  ...program,
  cuid,
  company,
  scope,
  ceilings: Nullable(Ceilings),
  created: Created,
  expires: UnixTime({ description: 'When it ends at the latest.' }),
  lastUsed: Nullable(UnixTime({ description: 'When it was last used, to about a minute. Null: never.' })),
})
export type OwnAgent = Static<typeof OwnAgent>

const KEY = 'mqck_000000000000000000000000000000'
const shownProgram = { name: 'Campaign helper', host: 'helper.example' }
const ofCustomer = { cuid: 1001, company: 'Blue Bikes Ltd' }
const REQUEST = 'qY2xpZW50X2lkPWh0dHBzOi8vaGVscGVyLmV4YW1wbGUvY2xpZW50Lmpzb24'
const SHOWN = 'mZ0Zb1Jm0l3mYVJ2q7nS8m8S0J2o9mJcJ0wq0m1jv1k'
const problems = [
  'session_ended',
  'session_refused',
  'passkey_needed',
  'not_found',
  'too_many_requests',
] as const

export const readAgentRequest = endpoint({
  ...common,
  id: 'readAgentRequest',
  method: 'POST',
  path: '/console/api/agents/request',
  summary: 'What a program asks the person for',
  description: `Reads the description of the program from where it is published. What is wrong with the request is told to the program
at \`back\`, if that is known to be its address. ${ONLY_CONSOLE}`,
  body: Body({ request }),
  answer: Type.Union([AgentAsked, AgentRefused]),
  problems,
  examples: {
    body: { request: REQUEST },
    answer: {
      ...shownProgram,
      goesTo: 'helper.example',
      isLocal: false,
      asked: 'propose',
      customers: [{ ...ofCustomer, most: 'spend' }],
      until: 1_797_776_000,
      shown: SHOWN,
      denied: 'https://helper.example/back?error=access_denied&iss=http%3A%2F%2Flocalhost%3A8080',
    },
  },
})

export const approveAgent = endpoint({
  ...common,
  id: 'approveAgent',
  method: 'POST',
  path: '/console/api/agents',
  summary: 'Let a program act for the person',
  description: `For one customer, never with more rights than the person has, and as far as \`ceilings\` allow; with \`spend\`, a ceiling
\`dailySpendAll\` is required. Reads the description of the program again: 409 if it has changed. ${ONLY_CONSOLE}`,
  body: ApproveAgent,
  answer: Body({ redirect }),
  problems: [...problems, 'scope_too_low', 'api_access_off', 'conflict'],
  examples: {
    body: { request: REQUEST, shown: SHOWN, cuid: 1001, scope: 'propose', ceilings: { dailySpendAll: 100 } },
    answer: { redirect: 'https://helper.example/back?code=mqac_0&iss=http%3A%2F%2Flocalhost%3A8080' },
  },
})

export const listAgents = endpoint({
  ...common,
  id: 'listAgents',
  method: 'GET',
  path: '/console/api/agents',
  summary: 'The programs that act for the person',
  description: 'For all customers that the person works for, the newest first.',
  answer: Type.Array(OwnAgent),
  problems,
  examples: {
    answer: [
      {
        key: KEY,
        ...shownProgram,
        ...ofCustomer,
        scope: 'propose',
        ceilings: { dailySpendAll: 100 },
        created: 1_790_000_000,
        expires: 1_797_776_000,
        lastUsed: null,
      },
    ],
  },
})

export const endAgent = endpoint({
  ...common,
  id: 'endAgent',
  method: 'DELETE',
  path: '/console/api/agents/:key',
  summary: 'Take the access of a program away',
  description: `At once here, within 1 s in other processes of the service. ${ONLY_CONSOLE}`,
  answer: Body({ key: Type.String({ description: 'The key of its pair.' }), deleted: Deleted }),
  problems,
  examples: { answer: { key: KEY, deleted: true } },
})
