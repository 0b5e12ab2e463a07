// A program that asks people to let it act for them, as an assistant does: it has a document that says who it is, finds
// out how to ask, sends the person to the console, and exchanges what comes back.

import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Visitor } from './console.ts'
import type { TestAnswer, TestService } from './service.ts'

export interface Program {
  clientId: string
  redirectUri: string
  /** What its document says; tests change it. */
  says: Record<string, unknown>
  /** How often the document was read. */
  reads: () => number
  close(): Promise<void>
}

export const CALLBACK = 'https://helper.example/back'

export async function startProgram(more: Record<string, unknown> = {}): Promise<Program> {
  let reads = 0
  const says: Record<string, unknown> = { client_name: 'Helper', redirect_uris: [CALLBACK], ...more }
  const server = createServer((_request, response) => {
    reads++
    response.setHeader('content-type', 'application/json').end(JSON.stringify(says))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const clientId = `http://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`
  says.client_id ??= clientId
  return {
    clientId,
    redirectUri: CALLBACK,
    says,
    reads: () => reads,
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}

export interface Asking {
  verifier: string
  state: string
  params: Record<string, string>
}

/** What a program asks for, with a new proof key. */
export function asking(program: Pick<Program, 'clientId' | 'redirectUri'>, more: object = {}): Asking {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(8).toString('hex')
  const params = {
    response_type: 'code',
    client_id: program.clientId,
    redirect_uri: program.redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
    ...more,
  }
  return { verifier, state, params }
}

/** Where the browser of the person ends up: the page of the console, and what it was given. */
export async function askedAt(service: TestService, { params }: Asking): Promise<string> {
  const answer = await service.call('GET', `/oauth/authorize?${new URLSearchParams(params)}`, { as: null })
  if (answer.status !== 302) throw new Error(`not sent on: ${answer.text}`)
  return new URL(answer.headers.location!).searchParams.get('request')!
}

export async function look(visitor: Visitor, request: string): Promise<TestAnswer> {
  return visitor.call('POST', '/console/api/agents/request', { body: { request } })
}

export interface Consent {
  cuid: number
  scope?: string
  ceilings?: object | null
}

/** The person looks at what is asked for, and says yes. */
export async function consent(
  service: TestService,
  visitor: Visitor,
  wanted: Asking,
  { cuid, scope = 'propose', ceilings = { dailySpendAll: 100 } }: Consent,
): Promise<TestAnswer> {
  const request = await askedAt(service, wanted)
  const { body } = await look(visitor, request)
  return visitor.call('POST', '/console/api/agents', {
    body: { request, shown: body.shown, cuid, scope, ceilings },
  })
}

export function form(
  service: TestService,
  path: string,
  fields: Record<string, string>,
): Promise<TestAnswer> {
  return service.call('POST', path, {
    as: null,
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

export function exchange(
  service: TestService,
  program: Pick<Program, 'clientId' | 'redirectUri'>,
  { verifier }: Pick<Asking, 'verifier'>,
  code: string,
  more: Record<string, string> = {},
): Promise<TestAnswer> {
  return form(service, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: program.clientId,
    redirect_uri: program.redirectUri,
    code,
    code_verifier: verifier,
    ...more,
  })
}

export function renew(
  service: TestService,
  { clientId }: Pick<Program, 'clientId'>,
  refreshToken: string,
): Promise<TestAnswer> {
  const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken }
  return form(service, '/oauth/token', fields)
}

export const codeIn = (answer: TestAnswer): string =>
  new URL(answer.body.redirect).searchParams.get('code') ?? ''

/** All of it: what the program may use from then on. */
export async function connect(
  service: TestService,
  visitor: Visitor,
  program: Program,
  given: Consent,
): Promise<{ access: string; refresh: string }> {
  const wanted = asking(program)
  const answer = await consent(service, visitor, wanted, given)
  if (answer.status !== 200) throw new Error(`no consent: ${answer.text}`)
  const { status, body, text } = await exchange(service, program, wanted, codeIn(answer))
  if (status !== 200) throw new Error(`no tokens: ${text}`)
  return { access: body.access_token, refresh: body.refresh_token }
}

export const bearer = (access: string) => ({ as: null, headers: { authorization: `Bearer ${access}` } })
