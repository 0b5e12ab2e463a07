// Campaigns, personas and banners through the whole stack, each against a bare server that runs the same statements.

import { systemClock } from '../src/kernel/time/clock.ts'
import { createCustomer } from '../src/manage/customers/customers.ts'
import { accounts } from '../src/report/accounts/accounts.ts'
import type { Service } from '../src/service/app.ts'
import { withBenchDatabase } from './database.ts'
import { benchService } from './marquee.ts'
import { recordStatements, replayServer } from './replay.ts'
import { contest, type Load, serveIfChild } from './side-by-side.ts'

async function marquee(): Promise<string> {
  return (await benchService(process.env.BENCH_DATABASE!, process.env.BENCH_DATA!)).listen()
}

const contestants = { bare: replayServer, marquee }
const READ_TARGET = 0.6
const WRITE_TARGET = 0.7

interface Measured {
  name: string
  load: Load
  target: number
  requestsARound: number
}

async function fixture(service: Service): Promise<Measured[]> {
  const [app] = await service.db.rows<{ app_id: number }>('select app_id from app')
  const options = { credentialTtlSeconds: 3600, clock: systemClock, accounts, beginMails: async () => {} }
  const body = { company: 'Bench', email: 'b@bench.example', website: 'https://bench.example/' }
  const customer = await createCustomer(service.db, { appId: app!.app_id, key: 'operator' }, body, options)
  const headers = {
    'x-access-key': customer.key,
    'x-access-token': customer.token,
    'content-type': 'application/json',
  }
  const get = (path: string): Load => ({ method: 'GET', path: `${path}?cuid=${customer.cuid}`, headers })
  const post = (path: string, value: object): Load => ({
    ...get(path),
    method: 'POST',
    body: JSON.stringify(value),
  })
  const create = async (load: Load) => {
    const answer = await service.api.fastify.inject({
      method: 'POST',
      url: load.path,
      headers,
      payload: load.body,
    })
    return answer.json() as Record<string, number>
  }
  const nowS = Math.floor(Date.now() / 1000)
  const newCampaign = post('/campaign', { name: 'Bench', start: nowS, end: nowS + 86_400, dailySpend: 12.34 })
  const { cid } = await create(newCampaign)
  const newPersona = post(`/campaign/${cid}/persona`, {
    name: 'Bench',
    geo: { geos: ['CA-ON-Toronto', 'US-NY', 'DE'] },
    cat: ['IAB1', 'IAB2-3'],
    device: { mobile: true, desktop: true },
  })
  const { pid } = await create(newPersona)
  const newBanner = post(`/campaign/${cid}/persona/${pid}/banner`, {
    creativeURL: 'https://images.bench.example/a.png',
  })
  await service.db.run(
    `insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category, pacing, created_at, updated_at)
     select $1, 'Campaign ' || n, now(), now() + interval '30 days', true, 3, 50000000, 2500000, '{IAB17}', 'even', now(), now()
     from generate_series(1, 999) n`,
    [customer.cuid],
  )
  return [
    { name: 'read a campaign', load: get(`/campaign/${cid}`), target: READ_TARGET, requestsARound: 3000 },
    {
      name: 'read a persona',
      load: get(`/campaign/${cid}/persona/${pid}`),
      target: READ_TARGET,
      requestsARound: 3000,
    },
    { name: 'list 1,000 campaigns', load: get('/campaign'), target: READ_TARGET, requestsARound: 60 },
    { name: 'create a persona', load: newPersona, target: WRITE_TARGET, requestsARound: 1500 },
    { name: 'create a banner', load: newBanner, target: WRITE_TARGET, requestsARound: 1500 },
    { name: 'create a campaign', load: newCampaign, target: WRITE_TARGET, requestsARound: 1500 },
  ]
}

if (!(await serveIfChild({ contestants }))) {
  await withBenchDatabase(async (url, dataDir) => {
    const service = await benchService(url, dataDir)
    const measured = await fixture(service)
    const recorded: string[] = []
    for (const { load } of measured) recorded.push(JSON.stringify(await recordStatements(service, load)))
    await service.stop()
    for (const [i, { name, load, target, requestsARound }] of measured.entries()) {
      await contest({
        name,
        file: import.meta.filename,
        contestants,
        env: { BENCH_DATABASE: url, BENCH_DATA: dataDir, BENCH_STATEMENTS: recorded[i]! },
        load: () => load,
        expectStatus: status => status === 200 || status === 201,
        target,
        requestsARound,
        rounds: 5,
        warmUpRounds: 3,
      })
    }
  })
}
