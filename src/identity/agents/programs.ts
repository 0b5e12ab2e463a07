// The programs that ask to act for people. A program names itself by the address of a document that says who it is
// (Client ID Metadata Document), which only the owner of that address can write; or it registers before (RFC 7591), and
// then nobody knows who it is. A registration is not stored: what was registered is in the id itself, signed, so that
// strangers fill nothing. All programs are public: they have no secrets.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { type Fetched, type FetchOptions, safeFetch } from '../../platform/safe-fetch.ts'
import { OAuthError } from './oauth-error.ts'
import { hasGrant } from './queries.ts'

export interface Program {
  clientId: string
  /** What it calls itself. Nobody has checked it. */
  name: string
  /** The host that its document came from; null: it registered, and may be anybody. */
  host: string | null
  redirectUris: string[]
}

/** Fetches the document of a program. */
export type ProgramDocuments = (address: URL) => Promise<Fetched>

export interface Programs {
  /** Throws an OAuthError if there is no such program. `anew`: its document is fetched again. */
  find(clientId: string, how?: { anew?: boolean }): Promise<Program>
  /** Returns the id of a program that registers. */
  register(body: unknown): Promise<Registered>
}

export interface Registered extends Program {
  /** Unix seconds. */
  issued: number
}

const MOST_BYTES = 10_000
const TIMEOUT_MS = 5_000
const ASKING = { accept: 'application/json', agent: 'Marquee agent sign-in' }
const CACHE_MS = 60_000
const MOST_CACHED = 1_000
export const MOST_ID_CHARACTERS = 2_000
const MOST_NAME_CHARACTERS = 100
const MOST_REDIRECTS = 20
const MOST_REDIRECT_CHARACTERS = 500
/** A registered id that nobody has used by then is forgotten. */
export const UNUSED_MS = 30 * 86_400_000
const REGISTERED = /^mqag_([\w-]{1,1900})\.([\w-]{22})$/

export function createProgramDocuments(
  options: Pick<FetchOptions, 'allowPrivate' | 'lookup'>,
): ProgramDocuments {
  return address => safeFetch(address, ASKING, { ...options, maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS })
}

export interface ProgramParts {
  db: Db
  clock: Clock
  documents: ProgramDocuments
  /** Documents may come by http: only where private addresses may be fetched, for development. */
  allowPlain: boolean
  secret: () => Promise<Buffer>
}

export function createPrograms({ db, clock, documents, allowPlain, secret }: ProgramParts): Programs {
  const known = new Map<string, { program: Program; untilMs: number }>()

  async function ofDocument(clientId: string, anew: boolean): Promise<Program> {
    const hit = known.get(clientId)
    const leftMs = (hit?.untilMs ?? 0) - clock.nowMs()
    if (hit && !anew && leftMs > 0 && leftMs <= CACHE_MS) return hit.program
    const address = addressOf(clientId, allowPlain)
    const program = await fetchProgram(documents, clientId, address)
    if (known.size >= MOST_CACHED) known.clear()
    known.set(clientId, { program, untilMs: clock.nowMs() + CACHE_MS })
    return program
  }

  async function ofRegistration(clientId: string): Promise<Program> {
    const [, content = '', mac = ''] = REGISTERED.exec(clientId) ?? []
    const wanted = Buffer.from(await macOf(content))
    const given = Buffer.from(mac)
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw unknownProgram()
    const { n: name, r: redirectUris, t: issued } = JSON.parse(Buffer.from(content, 'base64url').toString())
    const isOld = issued * 1000 + UNUSED_MS < clock.nowMs()
    if (isOld && !(await hasGrant(db, clientId))) throw unknownProgram()
    return { clientId, name, host: null, redirectUris }
  }

  async function macOf(content: string): Promise<string> {
    const mac = createHmac('sha256', await secret())
      .update(`program ${content}`)
      .digest()
    return mac.subarray(0, 16).toString('base64url')
  }

  return {
    find(clientId, { anew = false } = {}) {
      if (clientId.length > MOST_ID_CHARACTERS) throw unknownProgram()
      return REGISTERED.test(clientId) ? ofRegistration(clientId) : ofDocument(clientId, anew)
    },
    async register(body) {
      const { name, redirectUris } = readMetadata(body)
      const issued = Math.floor(clock.nowMs() / 1000)
      const content = Buffer.from(JSON.stringify({ n: name, r: redirectUris, t: issued })).toString(
        'base64url',
      )
      const clientId = `mqag_${content}.${await macOf(content)}`
      if (!REGISTERED.test(clientId))
        throw new OAuthError(
          'invalid_client_metadata',
          'the name and the redirect_uris are too long together',
        )
      return { clientId, name, host: null, redirectUris, issued }
    },
  }
}

/** What was shown to a person, in short: what is approved must be the same. */
export function digestOf({ clientId, name, redirectUris }: Program): string {
  return createHash('sha256')
    .update(JSON.stringify([clientId, name, redirectUris]))
    .digest('base64url')
}

const unknownProgram = () =>
  new OAuthError('invalid_client', 'the client_id is neither registered here nor the address of a document')

/** The address of a document: https, with a path, and written as it is compared. */
function addressOf(clientId: string, allowPlain: boolean): URL {
  if (!URL.canParse(clientId)) throw unknownProgram()
  const address = new URL(clientId)
  const { protocol, pathname, hash, username, password, href } = address
  const isWeb = protocol === 'https:' || (allowPlain && protocol === 'http:')
  if (!isWeb || href !== clientId || pathname === '/' || hash || username || password) throw unknownProgram()
  return address
}

async function fetchProgram(documents: ProgramDocuments, clientId: string, address: URL): Promise<Program> {
  const fetched = await documents(address)
  if (!fetched.ok)
    throw new OAuthError('invalid_client', `the document at ${clientId} could not be read (${fetched.why})`)
  let said: unknown
  try {
    said = JSON.parse(fetched.bytes.toString('utf8'))
  } catch {
    throw new OAuthError('invalid_client', `the document at ${clientId} is not JSON`)
  }
  if ((said as { client_id?: unknown } | null)?.client_id !== clientId)
    throw new OAuthError('invalid_client', 'the client_id in the document is not the address of the document')
  const { name, redirectUris } = readMetadata(said)
  return { clientId, name, host: address.host, redirectUris }
}

/** Invisible letters and those that change the direction of text could make a name look like another. */
const UNSEEN = /[\p{C}\u2028\u2029]/gu

function readMetadata(said: unknown): Pick<Program, 'name' | 'redirectUris'> {
  const wrong = (why: string) => new OAuthError('invalid_client_metadata', why)
  if (typeof said !== 'object' || said === null || Array.isArray(said)) throw wrong('it must be an object')
  const { client_name, redirect_uris, client_secret, token_endpoint_auth_method } = said as Record<
    string,
    unknown
  >
  if (client_secret !== undefined) throw wrong('programs have no secrets here: leave client_secret out')
  if (token_endpoint_auth_method === 'private_key_jwt')
    throw wrong('token_endpoint_auth_method must be none: programs are public here')
  const name = typeof client_name === 'string' ? client_name.replaceAll(UNSEEN, '').trim() : ''
  if (name === '' || name.length > MOST_NAME_CHARACTERS)
    throw wrong(`client_name must be a text of 1 to ${MOST_NAME_CHARACTERS} characters`)
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || redirect_uris.length > MOST_REDIRECTS)
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris must be a list of 1 to ${MOST_REDIRECTS} addresses`,
    )
  for (const uri of redirect_uris) if (!isRedirect(uri)) throw notARedirect(uri)
  return { name, redirectUris: redirect_uris }
}

function notARedirect(uri: unknown): OAuthError {
  return new OAuthError(
    'invalid_redirect_uri',
    `${String(uri).slice(0, 100)} must be an https address, or http on localhost, without a fragment`,
  )
}

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']

export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && LOOPBACK.includes(hostname)
}

function isRedirect(uri: unknown): uri is string {
  if (typeof uri !== 'string' || uri.length > MOST_REDIRECT_CHARACTERS || /[\s\p{C}]/u.test(uri)) return false
  if (!URL.canParse(uri) || uri.includes('#')) return false
  const url = new URL(uri)
  return (url.protocol === 'https:' || isLoopback(url)) && url.username === '' && url.password === ''
}

/** Exactly one that the program named; on this machine's own address with any port (RFC 8252). */
export function mayRedirect({ redirectUris }: Program, wanted: string): boolean {
  if (redirectUris.includes(wanted)) return true
  if (!isRedirect(wanted) || !isLoopback(new URL(wanted))) return false
  const portless = (uri: string) => {
    const url = new URL(uri)
    url.port = ''
    return url.href
  }
  return redirectUris.some(uri => isLoopback(new URL(uri)) && portless(uri) === portless(wanted))
}
