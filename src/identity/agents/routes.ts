// The authorization server for agents: what it says of itself (RFC 8414, RFC 9728), where a program sends the person,
// and where it registers, gets tokens, renews and gives them back. Bodies and errors are those of OAuth, not of the
// API. Any page may call what needs no cookie: a program in a browser is a program, too.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createAddressLimit } from '../../http/address-limit.ts'
import { pathOf } from '../../kernel/address.ts'
import { refusal } from '../../kernel/errors/problem.ts'
import { AGENT_SCOPES } from '../../kernel/permissions.ts'
import { type Failures, refuseBeyond } from '../failures.ts'
import { type AgentParts, redeem, refresh, revoke } from './agents.ts'
import { OAuthError } from './oauth-error.ts'
import type { Programs } from './programs.ts'
import { MOST_REQUEST_CHARACTERS, refuseOtherResource, resourceOf } from './request.ts'

export interface AuthorizationParts extends AgentParts {
  fastify: FastifyInstance
  programs: Programs
  failures: Failures
  publicUrl: string
}

const MOST_BODY_BYTES = 16_384
/** Registrations of one address in an hour. */
export const REGISTRATIONS = 30
const RESOURCE_PATH = '/.well-known/oauth-protected-resource'
const SERVER_PATH = '/.well-known/oauth-authorization-server'
const FORM = 'application/x-www-form-urlencoded'
const ANY_PAGE = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }
const MINUTES = 'public, max-age=300'

/** Where a program that got 401 learns how it may ask (RFC 9728). */
export function challengeOf(publicUrl: string): string {
  return `Bearer resource_metadata="${publicUrl}${RESOURCE_PATH}/mcp", scope="read propose"`
}

/** On a separate server instance, because bodies are forms, too. */
export function authorizationRoutes(parts: AuthorizationParts): void {
  parts.fastify.register(async child => {
    child.addContentTypeParser(
      FORM,
      { parseAs: 'string', bodyLimit: MOST_BODY_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(body as string)),
    )
    child.addHook('onRequest', async (request, reply) => {
      if (!request.url.startsWith('/oauth/authorize')) reply.headers(ANY_PAGE)
    })
    const failed = child.errorHandler
    child.setErrorHandler((error, request, reply) => {
      if (!(error instanceof OAuthError)) return failed(error as never, request, reply)
      const status = error.code === 'invalid_client' ? 401 : 400
      return reply.code(status).send({ error: error.code, error_description: error.message })
    })
    metadataRoutes(child, parts.publicUrl)
    askRoute(child, parts.publicUrl)
    tokenRoutes(child, parts)
    registration(child, parts)
  })
}

function metadataRoutes(child: FastifyInstance, publicUrl: string): void {
  const path = pathOf(publicUrl)
  const resource = {
    resource: resourceOf(publicUrl),
    authorization_servers: [publicUrl],
    scopes_supported: ['read', 'propose'],
    bearer_methods_supported: ['header'],
  }
  const server = {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    registration_endpoint: `${publicUrl}/oauth/register`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: AGENT_SCOPES,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  }
  // The path of PUBLIC_URL comes last (RFC 8414), whether or not the proxy in front takes it away elsewhere.
  for (const at of new Set(['', '/mcp', path, `${path}/mcp`])) answerAt(`${RESOURCE_PATH}${at}`, resource)
  for (const at of new Set(['', path])) answerAt(`${SERVER_PATH}${at}`, server)

  function answerAt(url: string, body: object): void {
    child.get(url, async (_request, reply) => reply.header('cache-control', MINUTES).send(body))
  }
}

/** Sends the person on to the console, which signs them in first. Nothing is looked up for strangers. */
function askRoute(child: FastifyInstance, publicUrl: string): void {
  child.get('/oauth/authorize', async (request, reply) => {
    const query = request.url.split('?')[1] ?? ''
    if (query.length > MOST_REQUEST_CHARACTERS)
      throw refusal('agent_request_invalid', {
        detail: `it has more than ${MOST_REQUEST_CHARACTERS} characters`,
      })
    const asked = Buffer.from(query).toString('base64url')
    return reply.redirect(`${publicUrl}/console/connect?request=q${asked}`, 302)
  })
}

function tokenRoutes(child: FastifyInstance, parts: AuthorizationParts): void {
  const { failures, publicUrl } = parts
  /** An attempt that fails counts against the address. */
  const counted = async <T>({ clientAddress }: FastifyRequest, attempt: () => Promise<T>): Promise<T> => {
    failures.begin(clientAddress)
    const done = await attempt()
    failures.giveBack(clientAddress)
    return done
  }
  post(child, '/oauth/token', request =>
    counted(request, async () => {
      const form = formOf(request)
      refuseOtherResource(form.getAll('resource'), publicUrl)
      const clientId = required(form, 'client_id')
      const kind = required(form, 'grant_type')
      if (kind === 'refresh_token') {
        const refreshToken = required(form, 'refresh_token')
        return refresh(parts, { refreshToken, clientId, scope: form.get('scope') })
      }
      if (kind !== 'authorization_code')
        throw new OAuthError(
          'unsupported_grant_type',
          'grant_type must be authorization_code or refresh_token',
        )
      const redirectUri = form.get('redirect_uri')
      const [code, verifier] = [required(form, 'code'), required(form, 'code_verifier')]
      if (!/^[\w.~-]{43,128}$/.test(verifier))
        throw new OAuthError('invalid_request', 'code_verifier must have 43 to 128 characters (RFC 7636)')
      return redeem(parts, { code, clientId, redirectUri, verifier })
    }),
  )
  post(child, '/oauth/revoke', request =>
    counted(request, async () => {
      const form = formOf(request)
      await revoke(parts, required(form, 'token'), required(form, 'client_id'))
      return {}
    }),
  )
}

function registration(child: FastifyInstance, { programs, clock }: AuthorizationParts): void {
  const limit = createAddressLimit(REGISTRATIONS, 3600, clock)
  post(child, '/oauth/register', async (request, reply) => {
    refuseBeyond(limit.take(request.clientAddress), 'too_many_requests')
    const { clientId, name, redirectUris, issued } = await programs.register(request.body)
    reply.code(201)
    return {
      client_id: clientId,
      client_id_issued_at: issued,
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  })
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<object>

/** With the preflight of a page. */
function post(child: FastifyInstance, url: string, answer: Answer): void {
  child.post(url, { bodyLimit: MOST_BODY_BYTES }, async (request, reply) => {
    const body = await answer(request, reply)
    return reply.header('pragma', 'no-cache').send(body)
  })
  child.options(url, async (_request, reply) =>
    reply.code(204).headers({
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '600',
    }),
  )
}

function formOf({ body }: FastifyRequest): URLSearchParams {
  if (!(body instanceof URLSearchParams)) throw refusal('unsupported_media_type', { allowed: [FORM] })
  return body
}

function required(form: URLSearchParams, name: string): string {
  const [value, ...more] = form.getAll(name)
  if (!value || more.length > 0) throw new OAuthError('invalid_request', `${name} is required, once`)
  return value
}
