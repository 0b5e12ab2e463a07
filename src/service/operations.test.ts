// What operators and load balancers ask each process: whether it is alive, whether it should get traffic, and its
// metrics.

import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { VERSION } from '../platform/version.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startTestService()
  url = await service.listen()
})
afterAll(() => service.close())

it('/healthz and /readyz answer; if the database is away, /readyz is not ready and calls get 503', async () => {
  expect((await service.call('GET', '/healthz')).body).toEqual({ status: 'ok', version: VERSION })
  await service.delivery.started
  expect((await service.call('GET', '/readyz')).body).toMatchObject({
    status: 'ready',
    parts: { database: 'answers', counting: 'writes what is reported' },
  })
  const other = await startTestService({ ROLES: 'api' })
  const { name } = (await other.db.row<{ name: string }>('select current_database() as name'))!
  await service.db.run(`alter database "${name}" with allow_connections false`)
  await service.db.run('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  const broken = await other.call('GET', '/readyz')
  expect([broken.status, broken.body.code]).toEqual([503, 'unavailable'])
  expect(broken.body.errors).toMatchObject([{ path: 'database' }])
  // A process that is not ready would fill its log if each of two polls per second were logged.
  const polls = other.logLines.map(line => JSON.parse(line)).filter(({ route }) => route === '/readyz')
  expect(polls).toMatchObject([{ status: 503, level: 20 }])
  expect((await other.call('GET', '/healthz')).status).toBe(200)
  await service.db.run(`alter database "${name}" with allow_connections true`)
  await other.close()
})

it('a call that the database undoes because of a deadlock gets 503 with retry-after, and is no bug', async () => {
  const { cuid } = await service.newCustomer({ email: 'circle@a.example' })
  await service.db.run(
    `create function give_way() returns trigger language plpgsql as
       $$ begin raise 'deadlock detected' using errcode = '40P01'; end $$`,
  )
  await service.db.run('create trigger gives_way before update on customer execute function give_way()')
  const undone = await service.call('PUT', `/customer/${cuid}`, { body: { company: 'Other' } })
  expect([undone.status, undone.body.code, undone.headers['retry-after']]).toEqual([503, 'unavailable', '1'])
  await service.db.run('drop function give_way cascade')
  expect((await service.call('PUT', `/customer/${cuid}`, { body: { company: 'Other' } })).status).toBe(200)
})

it('/metrics is open only to direct requests from this machine, and counts by route', async () => {
  await service.newCustomer({ email: 'count.me@a.example' })
  await service.call('GET', '/customer')
  await service.call('GET', '/customer/count.me@a.example/auth')
  const local = await fetch(`${url}/metrics`)
  expect(local.status).toBe(200)
  const text = await local.text()
  expect(text).toContain('marquee_http_request_seconds_count{method="GET",route="/customer"')
  expect(text).not.toContain('@a.example')
})

it('/metrics without a token answers no request that passed a proxy, whatever kind of proxy it was', async () => {
  const ask = (headers: Record<string, string>) => service.call('GET', '/metrics', { as: null, headers })
  expect((await ask({ host: 'localhost:8080' })).status).toBe(200)
  const passedOn: Record<string, string>[] = [
    { 'x-forwarded-for': '1.2.3.4' },
    { forwarded: 'for=1.2.3.4' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '1.2.3.4' },
    { 'x-forwarded-proto': 'https' },
    { 'cf-connecting-ip': '1.2.3.4' },
    { 'x-cluster-client-ip': '1.2.3.4' },
    { 'client-ip': '1.2.3.4' },
    { 'cdn-loop': 'cdn' },
    { host: 'ads.example' },
    { host: 'localhost.ads.example' },
    { host: '127.0.0.1.ads.example:8080' },
  ]
  for (const headers of passedOn) expect([headers, (await ask(headers)).status]).toEqual([headers, 404])
  // This is how nginx talks to its backends by default.
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write('GET /metrics HTTP/1.0\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
  let said = ''
  for await (const chunk of socket) said += chunk
  expect(said).toMatch(/^HTTP\/1.1 404 /)
  const proxied = await startTestService({ TRUST_PROXY: 'loopback' })
  expect((await proxied.call('GET', '/metrics', { as: null })).status).toBe(404)
  await proxied.close()
})

it.each(['https://ads.example', 'http://ads.example', 'http://ads.example:81/marquee'])(
  '/metrics of a service that is reached at %s needs a token: a proxy may send our own host',
  async publicUrl => {
    // As nginx does: it sends the host of the backend, and nothing else shows that there is a proxy.
    const asProxy = { as: null, headers: { host: '127.0.0.1:8080' } }
    const fronted = await startTestService({ PUBLIC_URL: publicUrl })
    expect((await fronted.call('GET', '/metrics', asProxy)).status).toBe(404)
    await fronted.close()
    const guarded = await startTestService({ PUBLIC_URL: publicUrl, METRICS_TOKEN: 'open-sesame' })
    const headers = { ...asProxy.headers, authorization: 'Bearer open-sesame' }
    expect((await guarded.call('GET', '/metrics', { as: null, headers })).status).toBe(200)
    await guarded.close()
  },
)

it('/metrics with METRICS_TOKEN requires it', async () => {
  const guarded = await startTestService({ METRICS_TOKEN: 'open-sesame' })
  expect((await guarded.call('GET', '/metrics')).status).toBe(401)
  const headers = { authorization: 'Bearer open-sesame' }
  expect((await guarded.call('GET', '/metrics', { as: null, headers })).status).toBe(200)
  await guarded.close()
})
