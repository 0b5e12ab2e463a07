// Fetches a creative from an address that a stranger chose, without becoming their way into our network:
// only public addresses (the one checked is the one connected to), no redirects, bounded bytes and time. A forbidden
// and an unreachable host get the same answer, so the answers map no network.

import { type Dispatcher, request } from 'undici'
import { type Finding, finding } from '../../kernel/finding.ts'
import {
  addressesOf,
  literalAddress,
  type OutboundOptions,
  pinnedAgent,
  type ResolvedAddress,
} from '../../platform/outbound.ts'
import { isPublicAddress } from '../../platform/public-address.ts'

export interface FetchOptions extends OutboundOptions {
  maxBytes: number
  /** For everything together: name, connection, headers and body. */
  timeoutMs: number
}

/** `retry` says whether a later attempt may end differently. */
export type FetchedCreative = { ok: true; bytes: Buffer } | { ok: false; finding: Finding; retry: boolean }

/** The one answer for hosts that are private, unknown, down, silent or not speaking HTTP. */
const UNREACHABLE = finding('creative_unreachable')

const TEMPORARY_STATUS = new Set([408, 425, 429])
const SCHEMES = new Set(['http:', 'https:'])

export async function fetchCreative(url: string, options: FetchOptions): Promise<FetchedCreative> {
  const target = readTarget(url)
  if (!(target instanceof URL)) return refused(target)
  const deadline = AbortSignal.timeout(options.timeoutMs)
  try {
    const addresses = await addressesOf(target, options, deadline)
    if (addresses === 'not_allowed' || addresses.length === 0) return unreachable(target, options)
    return await download(target, addresses, deadline, options)
  } catch {
    // The error of the transport (refused, reset, timed out, bad certificate, not HTTP) is not shown.
    return unreachable(target, options)
  }
}

/**
 * A host name is retried, whether it is unknown, private or down: otherwise the retries would tell which. An IP address
 * reveals nothing new.
 */
function unreachable(target: URL, { allowPrivate }: FetchOptions): FetchedCreative {
  const literal = literalAddress(target)
  const retry = literal === null || allowPrivate || isPublicAddress(literal.address)
  return { ok: false, finding: UNREACHABLE, retry }
}

function refused(why: Finding): FetchedCreative {
  return { ok: false, finding: why, retry: false }
}

function readTarget(url: string): URL | Finding {
  if (!URL.canParse(url)) return finding('creative_url_invalid')
  const target = new URL(url)
  if (!SCHEMES.has(target.protocol)) return finding('creative_url_scheme')
  if (target.username || target.password) return finding('creative_url_with_password')
  target.hash = ''
  return target
}

async function download(
  target: URL,
  addresses: ResolvedAddress[],
  deadline: AbortSignal,
  { maxBytes, timeoutMs }: FetchOptions,
): Promise<FetchedCreative> {
  const agent = pinnedAgent(addresses, timeoutMs)
  try {
    const answer = await request(target, {
      dispatcher: agent,
      signal: deadline,
      // Encoded bodies are never unpacked, so a small answer cannot unfold into a large one.
      headers: { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'Marquee creative review' },
    })
    // The agent is destroyed under an unread body: not an error worth a crash.
    answer.body.on('error', () => {})
    return refuseAnswer(answer, maxBytes) ?? (await readBody(answer.body, maxBytes))
  } finally {
    agent.destroy().catch(() => {})
  }
}

function refuseAnswer(answer: Dispatcher.ResponseData, maxBytes: number): FetchedCreative | null {
  const status = answer.statusCode
  if (status >= 300 && status < 400) {
    return refused(finding('creative_redirects', { status }))
  }
  if (status !== 200) {
    const retry = status >= 500 || TEMPORARY_STATUS.has(status)
    return { ok: false, finding: finding('creative_status', { status }), retry }
  }
  const encoding = String(answer.headers['content-encoding'] ?? 'identity')
    .trim()
    .toLowerCase()
  if (encoding !== 'identity' && encoding !== '') {
    return refused(finding('creative_compressed'))
  }
  return Number(answer.headers['content-length'] ?? 0) > maxBytes ? tooLarge(maxBytes) : null
}

async function readBody(body: AsyncIterable<Buffer>, maxBytes: number): Promise<FetchedCreative> {
  const chunks: Buffer[] = []
  let receivedBytes = 0
  for await (const chunk of body) {
    receivedBytes += chunk.length
    if (receivedBytes > maxBytes) return tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return { ok: true, bytes: Buffer.concat(chunks, receivedBytes) }
}

function tooLarge(maxBytes: number): FetchedCreative {
  return refused(finding('creative_too_large', { maxBytes }))
}
