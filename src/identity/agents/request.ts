// The request of a program to act for a person (OAuth 2.1, authorization code with PKCE), and the ways back to it.
// While it is not sure which program asks and that it may be answered at that address, nothing is sent there.

import { AGENT_SCOPES, type AgentScope } from '../../kernel/permissions.ts'
import { OAuthError } from './oauth-error.ts'
import { mayRedirect, type Program, type Programs } from './programs.ts'

export interface AskedFor {
  program: Program
  redirectUri: string
  state: string | null
  challenge: string
  /** What the program would like to do; null: it does not say. */
  scope: AgentScope | null
}

/** It cannot be granted, and the program learns why at `back`. */
export class RefusedRequest extends Error {
  readonly back: string
  constructor(message: string, back: string) {
    super(message)
    this.back = back
  }
}

export const MOST_REQUEST_CHARACTERS = 6_000
const MOST_STATE_CHARACTERS = 2_000
/** Base64url of a SHA-256. */
const CHALLENGE = /^[\w-]{43}$/
const RESPONSE = ['response_type', 'client_id', 'redirect_uri', 'state', 'scope']
const PKCE = ['code_challenge', 'code_challenge_method']

/** The resource that tokens are for: the agents' door of this service. */
export function resourceOf(publicUrl: string): string {
  return `${publicUrl}/mcp`
}

/** `query`: as it was sent. Throws an OAuthError for the person to read, or a RefusedRequest. */
export async function readRequest(
  query: string,
  programs: Programs,
  publicUrl: string,
  how: { anew?: boolean } = {},
): Promise<AskedFor> {
  const given = new URLSearchParams(query)
  for (const name of [...RESPONSE, ...PKCE])
    if (given.getAll(name).length > 1)
      throw new OAuthError('invalid_request', `${name} is given more than once`)
  const clientId = given.get('client_id')
  const redirectUri = given.get('redirect_uri')
  if (!clientId || !redirectUri)
    throw new OAuthError('invalid_request', 'client_id and redirect_uri are required')
  const program = await programs.find(clientId, how)
  if (!mayRedirect(program, redirectUri))
    throw new OAuthError('invalid_request', 'the redirect_uri is not one that the program has named')
  const state = given.get('state')
  const to = { redirectUri, state, publicUrl }
  try {
    return { program, redirectUri, state, ...readRest(given, publicUrl) }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    throw new RefusedRequest(
      error.message,
      backWith(to, { error: error.code, error_description: error.message }),
    )
  }
}

function readRest(given: URLSearchParams, publicUrl: string): Pick<AskedFor, 'challenge' | 'scope'> {
  if ((given.get('state')?.length ?? 0) > MOST_STATE_CHARACTERS)
    throw new OAuthError('invalid_request', `state has more than ${MOST_STATE_CHARACTERS} characters`)
  if (given.get('response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'response_type must be code')
  if (given.get('code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256')
  const challenge = given.get('code_challenge') ?? ''
  if (!CHALLENGE.test(challenge))
    throw new OAuthError('invalid_request', 'code_challenge must be the base64url of a SHA-256')
  refuseOtherResource(given.getAll('resource'), publicUrl)
  return { challenge, scope: readScope(given.get('scope')) }
}

/** Without one it is ours: there is no other here. */
export function refuseOtherResource(wanted: readonly string[], publicUrl: string): void {
  const own = [resourceOf(publicUrl), publicUrl].flatMap(url => [url, `${url}/`])
  for (const resource of wanted) {
    const asWritten = URL.canParse(resource) ? new URL(resource).href : resource
    if (!own.includes(resource) && !own.includes(asWritten))
      throw new OAuthError('invalid_target', `the resource must be ${resourceOf(publicUrl)}`)
  }
}

/** The highest that is named: each of ours includes those before it. */
export function readScope(text: string | null): AgentScope | null {
  const named = (text ?? '').split(' ').filter(name => name !== '' && name !== 'offline_access')
  const unknown = named.find(name => !AGENT_SCOPES.some(scope => scope === name))
  if (unknown !== undefined)
    throw new OAuthError('invalid_scope', `scope must be some of ${AGENT_SCOPES.join(', ')}`)
  return AGENT_SCOPES.findLast(scope => named.includes(scope)) ?? null
}

/** All that a grant includes, as the programs' own scopes are written. */
export function writtenScope(scope: AgentScope): string {
  return AGENT_SCOPES.slice(0, AGENT_SCOPES.indexOf(scope) + 1).join(' ')
}

/** The address that answers a program, with `iss` so that it knows who answers (RFC 9207). */
export function backWith(
  { redirectUri, state, publicUrl }: { redirectUri: string; state: string | null; publicUrl: string },
  answer: Record<string, string>,
): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value)
  if (state !== null) url.searchParams.set('state', state)
  url.searchParams.set('iss', publicUrl)
  return url.href
}
