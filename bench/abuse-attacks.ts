// The attacks of the abuse bench: what each sends, at a limited rate, and its description.

import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { gifFrame, gifOf, pngChunk, pngHeader, pngOf } from '../test/support/image-samples.ts'
import { manyCampaigns, type Target } from './abuse-world.ts'
import { AGENT } from './honest-visitors.ts'

/** What an attack has to send with. */
export interface Attacker {
  target: Target
  /** Opens a connection from the n-th address, and reopens it when it ends; `write` is called each time. */
  dial(write: (socket: Socket) => void, n?: number): void
  /** Sends these bytes at a fixed rate per second over this many connections, without waiting for answers. */
  flood(bytes: (n: number) => string | Buffer, perSecond: number, connections: number): void
}

interface Attack {
  /** Description for people. */
  sends: string
  begin(attacker: Attacker): void
}

const MOST_IMAGE_BYTES = 5 * 1024 * 1024

function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${AGENT}\r\n${headers}\r\n`
}

function post(path: string, body: string | Buffer, headers = 'Content-Type: application/json\r\n'): Buffer {
  const bytes = Buffer.from(body)
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${AGENT}\r\n${headers}`
  return Buffer.concat([Buffer.from(`${head}Content-Length: ${bytes.length}\r\n\r\n`), bytes])
}

function asHostile({ hostile: { key, token } }: Target): string {
  return `X-Access-Key: ${key}\r\nX-Access-Token: ${token}\r\n`
}

function unknownFields(count: number): string {
  return Array.from({ length: count }, (_, n) => `"${n.toString(36)}":1`).join(',')
}

const SIGN_IN = '/console/api/session'
const OWN_PAGE = 'Content-Type: application/json\r\nX-Marquee-Csrf: 1\r\nSec-Fetch-Site: same-origin\r\n'
/** Lists in lists, and objects of one field each with a name of its own. */
const COSTLY = [
  `[${`${'['.repeat(55)}${']'.repeat(55)},`.repeat(8_000)}1]`,
  `[${Array.from({ length: 29_000 }, (_, n) => `{"${n.toString(36).padStart(24, 'k')}":1}`)}]`,
]

/** Sends it again with each answer. */
function oneByOne(socket: Socket, bytes: Buffer): void {
  socket.write(bytes)
  socket.on('data', () => socket.write(bytes))
}

/** The same 400 requests in one write, once per second. */
function pipelined(text: string): (attacker: Attacker) => void {
  const bytes = text.repeat(400)
  return ({ flood }) => flood(() => bytes, 1, 1)
}

function manyTimes(head: Buffer, part: Buffer): Buffer[] {
  return [head, ...new Array<Buffer>(Math.floor((MOST_IMAGE_BYTES - 1000) / part.length)).fill(part)]
}

function image(kind: 'gif' | 'png'): Buffer {
  if (kind === 'gif') return gifOf(300, 250, manyTimes(Buffer.alloc(0), gifFrame(0, 0, 1, 1)))
  return pngOf(pngHeader(300, 250), Buffer.concat(manyTimes(Buffer.alloc(0), pngChunk('tEXt'))))
}

function uploads(kind: 'gif' | 'png'): (attacker: Attacker) => void {
  return ({ target, flood }) => {
    const headers = `${asHostile(target)}Content-Type: image/${kind}\r\n`
    const bytes = post(`/creative?cuid=${target.hostile.cuid}`, image(kind), headers)
    flood(() => bytes, 2, 2)
  }
}

function adRequest({ siteKey }: Target, more: object = {}): Buffer {
  const page = 'http://localhost/article'
  return post(
    '/ad',
    JSON.stringify({ source: siteKey, size: '300x250', page, geo: { country: 'CA' }, ...more }),
  )
}

function every(ms: number, socket: Socket, bytes: string | Buffer): void {
  const timer = setInterval(() => socket.write(bytes), ms)
  socket.on('close', () => clearInterval(timer))
}

/** Requests ads and loads their pixels, with the tokens that the service issued. */
function watch({ target: { port, siteKey } }: Attacker, perSecond: number): void {
  const agent = new Agent({ keepAlive: true, maxSockets: 10 })
  const options = { port, host: '127.0.0.1', agent, localAddress: '127.66.0.1' }
  const headers = { 'user-agent': AGENT, 'content-type': 'application/json' }
  const body = JSON.stringify({
    source: siteKey,
    size: '300x250',
    page: 'http://localhost/article',
    geo: { country: 'CA' },
  })
  setInterval(() => {
    const asking = request({ ...options, method: 'POST', path: '/ad', headers }, async response => {
      const { ad } = JSON.parse(Buffer.concat(await response.toArray()).toString())
      if (!ad) return
      const path = new URL(ad.impression).pathname
      const pixel = request({ ...options, path, headers: { 'user-agent': AGENT } }, answer => answer.resume())
      pixel.on('error', () => {}).end()
    })
    asking.on('error', () => {}).end(body)
  }, 1000 / perSecond)
}

/** Keeps this many calls under way, each on its own connection; the next one starts when one is answered. */
function atOnce({ dial }: Attacker, count: number, bytes: string | Buffer): void {
  for (let n = 0; n < count; n++) dial(socket => socket.write(bytes))
}

/** The server ends the connection with the answer. */
const LAST = 'Connection: close\r\n'

const BOMB = gzipSync('['.repeat(1024 * 1024))

export const ATTACKS: Record<string, Attack> = {
  'openapi, pipelined': {
    sends: 'GET /openapi.json, 400 in one write, once per second',
    begin: pipelined(get('/openapi.json')),
  },
  'openapi, pipelined and compressed': {
    sends: 'the same with accept-encoding: br',
    begin: pipelined(get('/openapi.json', 'Accept-Encoding: br\r\n')),
  },
  'gzip bomb': {
    sends: '1 kB of gzip that is 1 MiB of brackets to /ad, 3 per second',
    begin: ({ flood }) => {
      const bytes = post('/ad', BOMB, 'Content-Type: application/json\r\nContent-Encoding: gzip\r\n')
      flood(() => bytes, 3, 3)
    },
  },
  'nested arrays': {
    sends: '16 kB of brackets to /ad with the key of the site, 20 per second',
    begin: ({ target, flood }) => {
      const nested = `{"source":"${target.siteKey}","size":${'['.repeat(8000)}${']'.repeat(8000)}}`
      const bytes = post('/ad', nested)
      flood(() => bytes, 20, 4)
    },
  },
  'unknown fields': {
    sends:
      'a campaign of 100,000 unknown fields (0.9 MB), 2 per second; an ad request of 1,500, 20 per second',
    begin: ({ target, flood }) => {
      const json = `Content-Type: application/json\r\n${asHostile(target)}`
      const campaign = post(`/campaign?cuid=${target.hostile.cuid}`, `{${unknownFields(100_000)}}`, json)
      const ad = post('/ad', `{"source":"${target.siteKey}",${unknownFields(1500)}}`)
      flood(() => campaign, 2, 2)
      flood(() => ad, 20, 4)
    },
  },
  'values and objects of strangers': {
    sends: 'nearly 1 MB of brackets, and of objects, to the sign-in of the console, one after the other',
    begin: attacker => {
      for (const body of COSTLY) attacker.dial(socket => oneByOne(socket, post(SIGN_IN, body, OWN_PAGE)))
    },
  },
  'values and objects of a customer': {
    sends: 'the same to POST /bulk and /reach by a customer, and to the bid URL, one after the other',
    begin: ({ target, dial }) => {
      const json = `Content-Type: application/json\r\n${asHostile(target)}`
      const paths = [`/bulk?cuid=${target.hostile.cuid}`, `/reach?cuid=${target.hostile.cuid}`]
      for (const path of [...paths, new URL(target.bidUrl).pathname])
        for (const body of COSTLY) dial(socket => oneByOne(socket, post(path, body, json)))
    },
  },
  'GIF of frames': {
    sends: 'a GIF of 5 MiB with some 350,000 frames, uploaded twice per second by a customer',
    begin: uploads('gif'),
  },
  'PNG of chunks': {
    sends: 'a PNG of 5 MiB with some 430,000 chunks, uploaded twice per second by a customer',
    begin: uploads('png'),
  },
  'wrong passcodes': {
    sends: 'sign-ins with a wrong passcode, 20 at once from 20 addresses, once per second',
    begin: ({ dial }) => {
      const body = JSON.stringify({
        email: 'honest@bench.example',
        passcode: '123456',
        request: 'mqpr_0000000000000000000000',
      })
      const bytes = post(SIGN_IN, body, OWN_PAGE)
      for (let n = 0; n < 20; n++)
        dial(socket => {
          every(1000, socket, bytes)
        }, n)
    },
  },
  'trickled bodies': {
    sends: 'bodies of a byte at a time on 200 connections, to /ad and /campaign, two bytes per second each',
    begin: ({ target, dial }) => {
      const headers = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 16000\r\n${asHostile(target)}\r\n{`
      for (let n = 0; n < 200; n++)
        dial(socket => {
          socket.write(`POST ${n % 2 ? '/ad' : '/campaign'} HTTP/1.1\r\n${headers}`)
          every(500, socket, ' ')
        })
    },
  },
  'made-up names behind a proxy': {
    sends: 'GET /reference/iab with a new key each, of one client of a trusted proxy, 60 at once',
    begin: ({ dial }) => {
      const bytes = () =>
        get(
          '/reference/iab',
          `X-Forwarded-For: 198.51.100.7\r\nX-Access-Key: ${randomBytes(8).toString('hex')}\r\n${LAST}`,
        )
      for (let n = 0; n < 60; n++) dial(socket => socket.write(bytes()))
    },
  },
  'long path parameters': {
    sends: 'GET /campaign/… and /creative/… with 2,000 characters, 100 per second',
    begin: ({ target, flood }) => {
      const campaign = get(`/campaign/${'9'.repeat(2000)}?cuid=${target.hostile.cuid}`, asHostile(target))
      const creative = get(`/creative/${'a'.repeat(2000)}.png`)
      flood(n => (n % 2 ? campaign : creative), 100, 10)
    },
  },
  'ads that nobody shows': {
    sends: 'POST /ad with the public key of the site, 1,000 per second from one address',
    begin: ({ target, flood }) => {
      const bytes = adRequest(target)
      flood(() => bytes, 1000, 1)
    },
  },
  'made-up users': {
    sends: 'POST /ad with the public key and a user.id of its own each, 500 per second',
    begin: ({ target, flood }) => flood(n => adRequest(target, { user: { id: `somebody-${n}` } }), 500, 1),
  },
  'pixels of its own ads': {
    sends: 'POST /ad with the public key, and the pixel of each ad that it gets, 200 per second',
    begin: attacker => watch(attacker, 200),
  },
  'bulk dry runs': {
    sends: 'POST /bulk?dryRun=true of 1,000 creations by a customer, 60 at once',
    begin: attacker => {
      const { target } = attacker
      const headers = `Content-Type: application/json\r\n${LAST}${asHostile(target)}`
      const body = JSON.stringify({ operations: manyCampaigns() })
      atOnce(attacker, 60, post(`/bulk?dryRun=true&cuid=${target.hostile.cuid}`, body, headers))
    },
  },
  breakdowns: {
    sends: 'GET /stats/…/breakdown/action over 200,000 sums by a customer, 180 at once',
    begin: attacker => {
      const { cuid } = attacker.target.hostile
      const path = `/stats/${cuid}/breakdown/action?cuid=${cuid}`
      atOnce(attacker, 180, get(path, `${LAST}${asHostile(attacker.target)}`))
    },
  },
  'long pages': {
    sends: 'GET /campaign?limit=1000 by a customer, 60 at once',
    begin: attacker => {
      const { cuid } = attacker.target.hostile
      atOnce(attacker, 60, get(`/campaign?cuid=${cuid}&limit=1000`, `${LAST}${asHostile(attacker.target)}`))
    },
  },
  'answers that nobody reads': {
    sends:
      'complete lists of 3,000 campaigns and streams of live totals by a customer, 200 at once, not read',
    begin: ({ target, dial }) => {
      const list = get(`/campaign?cuid=${target.hostile.cuid}`, asHostile(target)).repeat(20)
      const accept = `Accept: text/event-stream\r\n${asHostile(target)}`
      const live = get(`/stats/live?cuid=${target.hostile.cuid}`, accept)
      for (let n = 0; n < 200; n++)
        dial(socket => {
          socket.write(n % 2 ? list : live)
          socket.pause()
        })
    },
  },
  'action pixels': {
    sends: 'GET /t/a.gif with a click id that nobody has, each another, 500 per second',
    begin: ({ flood }) =>
      flood(() => get(`/t/a.gif?click=${randomBytes(16).toString('base64url')}`), 500, 10),
  },
}
