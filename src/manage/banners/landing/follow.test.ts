// Follows addresses to real servers: what is found, and that nothing leads into our network or takes for ever.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PRIVATE_HOSTS } from '../../../../test/support/private-hosts.ts'
import { createFollowPage } from './follow.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

const pages = new Map<string, Handle>()
const seen: { path: string; cookie: string | undefined }[] = []
let server: Server
let base: string
beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url!
    seen.push({ path, cookie: request.headers.cookie })
    const handle = pages.get(new URL(path, base).pathname)
    if (handle) handle(request, response)
    else response.writeHead(404).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const follow = createFollowPage({ allowPrivate: true }, 3_000)
const codes = async (path: string) => (await follow(base + path)).map(({ code }) => code)
const page = (path: string, handle: Handle) => pages.set(path, handle)
const redirect = (path: string, to: (query: string) => string, status = 302) =>
  page(path, (request, response) => {
    const location = to(new URL(request.url!, base).search)
    response.writeHead(status, { location }).end()
  })

it('a page that answers is fine, and is asked with a click id', async () => {
  page('/fine', (_request, response) => response.end('x'.repeat(100_000)))
  seen.length = 0
  expect(await codes('/fine?a=1#top')).toEqual([])
  expect(seen).toEqual([{ path: '/fine?a=1&mqclid=AAAAAAAAAAAAAAAAAAAAAA', cookie: undefined }])
})

it.each([301, 302, 303, 307, 308])('a redirect (%i) that passes the query on is fine', async status => {
  redirect(`/moved${status}`, query => `/fine${query}`, status)
  expect(await codes(`/moved${status}`)).toEqual([])
})

it('a redirect that drops the click id is found, with where that happens', async () => {
  redirect('/drops', () => '/fine')
  const [found] = await follow(`${base}/drops?x=1`)
  expect(found).toMatchObject({
    code: 'landing_loses_click',
    params: { from: `${base}/drops`, to: `${base}/fine` },
  })
})

it('a status is a finding, unless it may be meant for programs only', async () => {
  for (const status of [400, 404, 410, 500, 503])
    page(`/status${status}`, (_request, response) => response.writeHead(status).end())
  for (const status of [401, 403, 429])
    page(`/status${status}`, (_request, response) => response.writeHead(status).end())
  for (const status of [400, 404, 410, 500, 503])
    expect(await codes(`/status${status}`)).toEqual(['landing_status'])
  for (const status of [401, 403, 429]) expect(await codes(`/status${status}`)).toEqual([])
  expect(await codes('/unknown')).toEqual(['landing_status'])
})

it('a circle ends, and a cookie that a page waits for is sent back', async () => {
  redirect('/circle', query => `/circle${query}`)
  expect(await codes('/circle')).toEqual(['landing_redirects'])
  page('/cookie', (request, response) => {
    if (request.headers.cookie === 'seen=1') response.end()
    else response.writeHead(302, { 'set-cookie': 'seen=1; Path=/; HttpOnly', location: request.url! }).end()
  })
  expect(await codes('/cookie')).toEqual([])
})

it('a silent server and one that is not there are told apart, and neither is waited for long', async () => {
  page('/silent', () => {})
  expect(await codes('/silent')).toEqual(['landing_timeout'])
  const gone = await follow('http://127.0.0.1:1/')
  expect(gone.map(({ code }) => code)).toEqual(['landing_unreachable'])
})

it('an address of an app ends the way', async () => {
  redirect('/app', query => `shop://open${query}`)
  expect(await codes('/app')).toEqual([])
  redirect('/app-lost', () => 'shop://open')
  expect(await codes('/app-lost')).toEqual(['landing_loses_click'])
})

it('never reaches a private address, whatever the name resolves to', async () => {
  const asked: string[] = []
  const lookup = async (name: string) => {
    asked.push(name)
    return [{ address: '127.0.0.1', family: 4 }]
  }
  const careful = createFollowPage({ allowPrivate: false, lookup }, 3_000)
  seen.length = 0
  for (const host of ['shop.example', ...PRIVATE_HOSTS]) {
    const found = await careful(`http://${host}/`)
    expect(found.map(({ code }) => code)).toEqual(['landing_unreachable'])
  }
  expect(asked).toContain('shop.example')
  expect(seen).toEqual([])
})
