// Reads HTTP requests of the plainest form, which exchanges, browsers and proxies send: HTTP/1.1, GET or POST, each
// header once and printable, a body of known length. Any other form is 'not plain', and its bytes are left untouched:
// Node's own reader may understand or refuse them.

import type { IncomingHttpHeaders } from 'node:http'

export interface PlainRequest {
  method: 'GET' | 'POST'
  /** The path without the query. */
  path: string
  /** The text after the `?`, undecoded; empty if there is none. */
  query: string
  headers: IncomingHttpHeaders
  /** Null for a GET. */
  body: Buffer | null
  /** Where the next request begins. */
  endBytes: number
}

/** The body is not complete yet: call again with this many bytes. */
export interface Unfinished {
  neededBytes: number
}

/** Node's reader would handle this request differently: pass it the bytes. */
export const NOT_PLAIN = null

const MOST_HEAD_BYTES = 4096
const MOST_BODY_BYTES = 65_536
const VERSION = ' HTTP/1.1'
const LINE_END = '\r\n'
const SPACE = 32

const TARGET = /^\/[!-~]*$/
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const VALUE = /^[\t\x20-\x7e]*$/
const LENGTH = /^(?:0|[1-9]\d{0,4})$/

/** Spellings that browsers and servers use, which need no check. */
const KNOWN_NAMES = new Map(
  [
    ...[
      'Host',
      'User-Agent',
      'Accept',
      'Accept-Encoding',
      'Accept-Language',
      'Content-Type',
      'Content-Length',
    ],
    ...[
      'Connection',
      'Content-Encoding',
      'Cookie',
      'Referer',
      'Origin',
      'X-OpenRTB-Version',
      'X-Openrtb-Version',
    ],
    ...[
      'X-Forwarded-For',
      'X-Forwarded-Proto',
      'Forwarded',
      'Sec-Fetch-Dest',
      'Sec-Fetch-Mode',
      'Sec-Fetch-Site',
    ],
    ...['Sec-CH-UA', 'Sec-CH-UA-Mobile', 'Sec-CH-UA-Platform', 'Sec-GPC', 'DNT', 'Cache-Control', 'Via'],
  ].flatMap(name => [
    [name, name.toLowerCase()],
    [name.toLowerCase(), name.toLowerCase()],
  ]),
)

/** Called before any header is read: returns whether we answer requests for this path at all. */
export type IsOurs = (path: string) => boolean

export function readPlainRequest(
  bytes: Buffer,
  isOurs: IsOurs,
): PlainRequest | Unfinished | typeof NOT_PLAIN {
  const text = bytes.toString('latin1', 0, Math.min(bytes.length, MOST_HEAD_BYTES))
  const method = text.startsWith('GET ') ? 'GET' : text.startsWith('POST ') ? 'POST' : null
  const lineEnd = text.indexOf(LINE_END)
  const targetEnd = lineEnd - VERSION.length
  if (method === null || targetEnd < 0 || !text.startsWith(VERSION, targetEnd)) return NOT_PLAIN
  const target = text.slice(method.length + 1, targetEnd)
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  if (!isOurs(path) || !TARGET.test(target)) return NOT_PLAIN
  const headers: IncomingHttpHeaders = {}
  const headBytes = readHeaders(text, lineEnd + LINE_END.length, headers)
  if (headBytes < 0 || !isUsual(headers)) return NOT_PLAIN
  const bodyBytes = method === 'GET' ? bodilessLength(headers) : lengthOf(headers)
  if (bodyBytes < 0) return NOT_PLAIN
  const endBytes = headBytes + bodyBytes
  if (endBytes > bytes.length) return { neededBytes: endBytes }
  const query = mark < 0 ? '' : target.slice(mark + 1)
  const body = method === 'GET' ? null : bytes.subarray(headBytes, endBytes)
  return { method, path, query, headers, body, endBytes }
}

/** Fills in the headers. Returns where the body begins, or a negative number if the head is not complete and plain. */
function readHeaders(text: string, from: number, headers: IncomingHttpHeaders): number {
  let at = from
  for (;;) {
    const lineEnd = text.indexOf(LINE_END, at)
    if (lineEnd === at) return at + LINE_END.length
    const colon = text.indexOf(':', at)
    if (lineEnd < 0 || colon < 0 || colon > lineEnd) return -1
    const name = nameOf(text.slice(at, colon))
    const value = text.slice(text.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1, lineEnd)
    // Repeated headers are joined by rules that differ by name, so they are left to Node.
    if (name === null || headers[name] !== undefined || !isPlainValue(value)) return -1
    headers[name] = value
    at = lineEnd + LINE_END.length
  }
}

function nameOf(spelling: string): string | null {
  return KNOWN_NAMES.get(spelling) ?? (NAME.test(spelling) ? spelling.toLowerCase() : null)
}

/** Printable, without blanks around it: whether such blanks belong to the value differs between headers. */
function isPlainValue(value: string): boolean {
  if (value.charCodeAt(0) <= SPACE || value.charCodeAt(value.length - 1) <= SPACE) return false
  return VALUE.test(value)
}

/** No header changes how the connection or the body must be read. */
function isUsual(headers: IncomingHttpHeaders): boolean {
  const { connection } = headers
  return (
    headers.host !== undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    headers.upgrade === undefined &&
    (connection === undefined || connection === 'keep-alive' || connection.toLowerCase() === 'keep-alive')
  )
}

function bodilessLength(headers: IncomingHttpHeaders): number {
  return headers['content-length'] === undefined ? 0 : -1
}

function lengthOf(headers: IncomingHttpHeaders): number {
  const text = headers['content-length']
  if (text === undefined || !LENGTH.test(text)) return -1
  const length = Number(text)
  return length <= MOST_BODY_BYTES ? length : -1
}
