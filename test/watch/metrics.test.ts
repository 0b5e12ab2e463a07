// Every metric is documented, and every metric that alerts and the dashboard use exists.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { VERSION } from '../../src/platform/version.ts'
import { connectionsOf } from '../../src/service/connections.ts'
import { until } from '../support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  startListeningService,
} from '../support/delivery.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const read = (name: string) => readFileSync(join(DOCS, name), 'utf8')
const config = { METRICS_TOKEN: 'metrics-token' }

let service: ListeningService
let text: string
beforeAll(async () => {
  service = await startListeningService(config)
  await service.call('GET', '/customer', { as: { key: 'nobody', token: 'wrong' } })
  text = await scrape()
})
afterAll(() => service.close())

async function scrape(): Promise<string> {
  const headers = { authorization: `Bearer ${config.METRICS_TOKEN}` }
  return (await service.call('GET', '/metrics', { as: null, headers })).text
}

/** Name → type and help. */
function measured(): Map<string, [string, string]> {
  const helps = new Map([...text.matchAll(/^# HELP (\w+) (.*)$/gm)].map(match => [match[1]!, match[2]!]))
  return new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name!, [type!, helps.get(name!)!]]),
  )
}

/** Histograms are queried by their parts. */
function isMeasured(name: string): boolean {
  const base = name.replace(/_(bucket|sum|count)$/, '')
  return measured().has(name) || measured().get(base)?.[0] === 'histogram'
}

function sources(): string {
  const folder = join(DOCS, '../src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('')
}

const NAMES = /\b(?:marquee|nodejs|process)_[a-z0-9_]+/g
const value = (line: RegExp) => Number(new RegExp(`^${line.source} (\\S+)$`, 'm').exec(text)?.[1])

it('docs/metrics.md lists every metric with its name, type and meaning', () => {
  const ours = [...measured()].filter(([name]) => name.startsWith('marquee_'))
  const rows = ours.map(([name, [type, help]]) => `| \`${name}\` | ${type} | ${help} |`).toSorted()
  const listed = [...read('metrics.md').matchAll(/^\| `marquee_.*$/gm)].map(match => match[0])
  expect(listed).toEqual(rows)
})

it('the version, failed sign-ins and delivery are measured', () => {
  expect(text).toContain(`marquee_build_info{version="${VERSION}"} 1`)
  expect(value(/marquee_sign_in_failures_total\{door="api"\}/)).toBe(1)
  expect(value(/marquee_delivery_running/)).toBe(1)
  expect(value(/marquee_node_promising/)).toBe(1)
})

it('an ad shows where it is on its way: promised, billed, written', async () => {
  const { cid } = await newServedCampaign(service)
  await service.delivery.running()!.refresh()
  const sold = await until(async () => {
    const answer = await service.bid(bidRequest())
    return answer.status === 200 ? answer : null
  })
  const { burl, cid: seller } = sold.json.seatbid[0].bid[0]
  expect(seller).toBe(String(cid))
  text = await scrape()
  expect(value(/marquee_catalog_campaigns/)).toBe(1)
  expect(value(/marquee_catalog_personas/)).toBe(1)
  expect(value(/marquee_catalog_age_seconds/)).toBeLessThan(60)
  expect(value(/marquee_ad_places_total\{outcome="served"\}/)).toBe(1)
  expect(value(/marquee_data_requests_total\{route="\/openrtb2\/bid\/"\}/)).toBeGreaterThanOrEqual(1)
  expect(value(/marquee_ledger_open_ads/)).toBe(1)
  const held = value(/marquee_ledger_reserved_micros/)
  expect(held).toBeGreaterThan(0)
  expect(value(/marquee_shares_granted_micros/)).toBeGreaterThanOrEqual(held)
  expect(value(/marquee_node_valid_seconds/)).toBeGreaterThan(0)
  expect(value(/marquee_nodes/)).toBe(1)
  expect(value(/marquee_journal_dropped_records_total/)).toBe(0)
  const { pathname } = new URL(burl)
  expect((await service.send('GET', `${pathname}?p=0.5`)).status).toBe(200)
  text = await scrape()
  expect(value(/marquee_ledger_open_ads/)).toBe(0)
  expect(value(/marquee_ledger_reserved_micros/)).toBe(0)
  expect(value(/marquee_shares_billed_micros/)).toBe(500)
  expect(value(/marquee_tracking_calls_total\{call="notice",outcome="counted"\}/)).toBe(1)
  expect(value(/marquee_ingest_rows_sum/)).toBe(1)
  expect(value(/marquee_ingest_seconds_count\{outcome="written"\}/)).toBe(1)
  expect(value(/marquee_counting_waiting/)).toBe(0)
  expect(value(/marquee_counting_oldest_seconds/)).toBe(0)
  expect(value(/marquee_database_pool_open\{pool="counting"\}/)).toBeGreaterThan(0)
  expect(value(/marquee_http_request_seconds_count\{method="POST",route="\/campaign",status="201"\}/)).toBe(1)
})

it('while the database refuses every batch, the age of the oldest event grows, and so do the calls without success', async () => {
  const sold = await service.bid(bidRequest())
  const { pathname } = new URL(sold.json.seatbid[0].bid[0].burl)
  await service.db.run(
    `create function no_room() returns trigger language plpgsql as
     $$ begin raise exception 'no room' using errcode = '53100'; end $$`,
  )
  await service.db.run(
    'create trigger no_room before insert on fresh for each statement execute function no_room()',
  )
  const oldest = async () => {
    text = await scrape()
    return value(/marquee_counting_oldest_seconds/)
  }
  const answer = service.send('GET', `${pathname}?p=0.5`)
  await expect.poll(oldest).toBeGreaterThan(0)
  const early = await oldest()
  expect((await answer).status).toBe(503)
  // Batches have failed in between, each of them cleanly.
  expect(await oldest()).toBeGreaterThan(early)
  expect(value(/marquee_counting_waiting/)).toBe(1)
  expect(value(/marquee_tracking_calls_total\{call="notice",outcome="unacknowledged"\}/)).toBe(1)
  await service.db.run('drop function no_room cascade')
  await expect.poll(oldest).toBe(0)
  expect(value(/marquee_tracking_calls_total\{call="notice",outcome="counted"\}/)).toBe(2)
})

it('labels have few values: no ids, no addresses, no names', () => {
  const labels = new Set(
    [...text.matchAll(/^marquee_\w+\{([^}]*)\}/gm)].flatMap(match => match[1]!.match(/\w+(?==")/g)!),
  )
  expect([...labels].toSorted()).toEqual(
    ['call', 'door', 'le', 'method', 'outcome', 'pool', 'route', 'status', 'version'].filter(name =>
      labels.has(name),
    ),
  )
})

it('a process opens as many connections as docs/postgresql.md says, and no more', () => {
  const most = [...text.matchAll(/^marquee_database_pool_most\{pool="(\w+)"\} (\d+)$/gm)].map(
    ([, pool, n]) => [pool, Number(n)],
  )
  expect(Object.fromEntries(most)).toEqual({
    requests: 8,
    control: 2,
    reads: 6,
    door: 2,
    tracking: 4,
    counting: 2,
    shares: 2,
    jobs: 9,
  })
  const { DATABASE_POOL } = service.config
  expect(DATABASE_POOL).toBe(8)
  // The listener for changes is a connection without a pool.
  expect(connectionsOf(service.config)).toBe(most.reduce((sum, [, n]) => sum + Number(n), 1))
  expect(read('operating.md')).toContain(
    'Every process opens 2 more; one that manages, `READ_POOL` and 2 more; one that delivers or manages, `TRACKING_POOL` and 2 more; one that delivers, 3 more; one with the role `worker`, 9 more',
  )
  const [both, delivering, managing] = [12 + 2 + 4 + 2, 3, 6 + 2]
  expect(read('postgresql.md')).toContain(`up to ${both + delivering + managing + 9}`)
  const apart = `up to ${both + managing + 9} + 2 × ${both + delivering}`
  expect(read('postgresql.md')).toContain(apart)
})

interface Rule {
  alert: string
  expr: string
  annotations: { summary: string; runbook: string }
}
const rules = (): Rule[] =>
  parse(read('alerts.yaml')).groups.flatMap((group: { rules: Rule[] }) => group.rules)

it('alerts use metrics that exist, and each has its place in the runbook', () => {
  const runbook = read('runbook.md')
  for (const { alert, expr, annotations } of rules()) {
    expect([alert, (expr.match(NAMES) ?? []).filter(name => !isMeasured(name))]).toEqual([alert, []])
    expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`)
    expect(runbook).toContain(`\n### ${alert}\n`)
  }
  expect([...runbook.matchAll(/^### (Marquee\w+)$/gm)].map(match => match[1])).toEqual(
    rules().map(rule => rule.alert),
  )
})

it('alerts ask for outcomes and routes that the program has', () => {
  const code = sources()
  const asked = rules().flatMap(({ alert, expr }) =>
    [...expr.matchAll(/(\w+)=~?"([^"]*)"/g)].flatMap(([, label, values]) =>
      label === 'job' ? [] : values!.split('|').map(value => [alert, value] as const),
    ),
  )
  expect(asked.length).toBeGreaterThan(5)
  const isSaid = (value: string) => code.includes(`'${value}'`) || value === '5..'
  expect(asked.filter(([, value]) => !isSaid(value))).toEqual([])
})

it('the runbook quotes the log as it is', () => {
  const code = sources()
  const quotes = [...`${read('runbook.md')}${read('operating.md')}`.matchAll(/log says\s[^`.]*`([^`]+)`/g)]
  expect(quotes.length).toBeGreaterThanOrEqual(5)
  expect(quotes.map(([, quote]) => quote!).filter(quote => !code.includes(quote))).toEqual([])
})

it('alerts parse, and each fires on a series made up for it', () => {
  execFileSync('promtool', ['check', 'rules', join(DOCS, 'alerts.yaml')], { stdio: 'pipe' })
  const tests = parse(readFileSync(join(import.meta.dirname, 'alerts.test.yaml'), 'utf8'))
  const tested = tests.tests.flatMap(
    (one: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }) =>
      one.alert_rule_test.filter(test => test.exp_alerts.length > 0).map(test => test.alertname),
  )
  expect([...new Set(tested)].toSorted()).toEqual(
    rules()
      .map(rule => rule.alert)
      .toSorted(),
  )
  execFileSync('promtool', ['test', 'rules', 'alerts.test.yaml'], { cwd: import.meta.dirname, stdio: 'pipe' })
})

it('the dashboard is valid, and uses metrics that exist', () => {
  const dashboard = JSON.parse(read('grafana.json'))
  const asked: string[] = dashboard.panels.flatMap((panel: { targets?: { expr: string }[] }) =>
    (panel.targets ?? []).map(target => target.expr),
  )
  expect(asked.length).toBeGreaterThan(15)
  expect(asked.flatMap(expr => expr.match(NAMES) ?? []).filter(name => !isMeasured(name))).toEqual([])
  const ids = dashboard.panels.map((panel: { id: number }) => panel.id)
  expect(new Set(ids).size).toBe(ids.length)
})
