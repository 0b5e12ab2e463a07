// GET /customer/:cuid through the whole stack (credentials checked) against a bare server with the same two queries.

import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../src/kernel/time/clock.ts'
import { createCustomer } from '../src/manage/customers/customers.ts'
import { openDatabase } from '../src/platform/database.ts'
import { accounts } from '../src/report/accounts/accounts.ts'
import { withBenchDatabase } from './database.ts'
import { benchService } from './marquee.ts'
import { contest, serveIfChild } from './side-by-side.ts'

const CREDENTIAL = `select c.token_hash, c.app_id, c.cuid, a.may_passcode, a.may_nopasscode, u.api_access
  from credential c join app a using (app_id) left join customer u on u.cuid = c.cuid
  where c.key = $1 and c.revoked_at is null and (c.expires_at is null or c.expires_at > $2)
    and a.revoked_at is null and u.deleted_at is null`
const CUSTOMER = `select cuid, app_id, company, email, name, address, country, city, zip, state, phone, website,
  api_access, version, created_at from customer where cuid = $1 and app_id = $2 and deleted_at is null`

interface CredentialRow {
  token_hash: Buffer
  app_id: number
  cuid: number
}

/** What somebody would write by hand for this one call. */
async function bare(): Promise<string> {
  const db = openDatabase({ url: process.env.BENCH_DATABASE!, maxConnections: 16, onError: () => {} })
  const server = createServer(async (request, response) => {
    const key = String(request.headers['x-access-key'])
    const hash = createHash('sha256').update(String(request.headers['x-access-token'])).digest()
    const credential = await db.row<CredentialRow>(CREDENTIAL, [key, new Date()])
    if (!credential || !timingSafeEqual(credential.token_hash, hash)) {
      response.writeHead(401).end()
      return
    }
    const customer = await db.row<object>(CUSTOMER, [
      Number(request.url!.slice('/customer/'.length)),
      credential.app_id,
    ])
    const body = JSON.stringify(customer)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function marquee(): Promise<string> {
  return (await benchService(process.env.BENCH_DATABASE!, process.env.BENCH_DATA!)).listen()
}

const contestants = { bare, marquee }

if (!(await serveIfChild({ contestants }))) {
  await withBenchDatabase(async (url, dataDir) => {
    const service = await benchService(url, dataDir)
    const options = { credentialTtlSeconds: 3600, clock: systemClock, accounts, beginMails: async () => {} }
    const [app] = await service.db.rows<{ app_id: number }>('select app_id from app')
    const customer = await createCustomer(
      service.db,
      { appId: app!.app_id, key: 'operator' },
      { company: 'Bench', email: 'b@bench.example' },
      options,
    )
    await service.stop()
    await contest({
      name: 'read a customer',
      file: import.meta.filename,
      contestants,
      env: { BENCH_DATABASE: url, BENCH_DATA: dataDir },
      load: () => ({
        method: 'GET',
        path: `/customer/${customer.cuid}`,
        headers: { 'x-access-key': customer.key, 'x-access-token': customer.token },
      }),
      expectStatus: status => status === 200,
      target: 0.6,
    })
  })
}
