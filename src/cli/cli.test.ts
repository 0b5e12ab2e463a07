// The operator's commands, run as an operator runs them.

import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmptyDatabase, execute, type TestDatabase, withDatabase } from '../../test/support/database.ts'
import { freePort } from '../../test/support/ports.ts'
import { callMarquee, runMarquee } from '../../test/support/process.ts'
import { openDatabase } from '../platform/database.ts'
import { migrate } from '../platform/migrate.ts'
import { accounts } from '../report/accounts/accounts.ts'
import { createProgram } from './command-line.ts'

const MIGRATIONS = new URL('../../migrations/', import.meta.url)

let database: TestDatabase
let env: Record<string, string>
let dataDir: string
beforeAll(async () => {
  database = await createEmptyDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'marquee-cli-'))
  env = { DATABASE_URL: database.url, DATA_DIR: dataDir }
})
afterAll(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

const run = (...args: string[]) => runMarquee(args, env)
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).output)

describe('marquee', () => {
  it('says what to check if the database cannot be reached, and does not show its password', async () => {
    const refused = `postgres://ann:hushhush@127.0.0.1:${await freePort()}/ads`
    const noName = 'postgres://ann:hushhush@nowhere.invalid/ads'
    const noDatabase = withDatabase(database.url, 'no_such_database')
    for (const [command, DATABASE_URL] of [
      ['serve', refused],
      ['verify', refused],
      ['migrate', noName],
      ['serve', noDatabase],
    ] as const) {
      const { code, output } = await runMarquee([command], { ...env, DATABASE_URL })
      expect([command, code]).toEqual([command, 1])
      expect(output).toMatch(/^marquee: cannot use the database: .+\. Check the host, .+ in DATABASE_URL/)
      expect(output).not.toContain('hushhush')
    }
  })

  it('a sandbox that did not start does not say where it is kept', async () => {
    const { code, output } = await runMarquee(['sandbox', '--start', 'soon'], { DATA_DIR: dataDir })
    expect([code, output]).toEqual([2, expect.stringContaining('must be a date')])
    expect(output).not.toContain('is kept')
  })

  it('refuses a wrong value before it looks for or creates a database', async () => {
    const DATA_DIR = join(dataDir, 'no such folder')
    for (const args of [
      ['app', 'create', ''],
      ['app', 'rotate', 'shop', '--overlap', 'soon'],
      ['app', 'pair', 'add', 'shop', 'x', '--expires', 'soon'],
      ['app', 'origins', 'shop', 'shop.example'],
      ['app', 'origins', 'shop', 'https://shop.example/ads'],
      ['app', 'origins', 'shop', '*'],
      ['app', 'staff', 'add', 'sue', '--role', 'admin'],
      ['source', 'add', 'exchange', ''],
      ['customer', 'list', '--limit', 'x'],
      ['customer', 'access', '99', 'maybe'],
      ['customer', 'credit', '99', '0', 'invoice'],
      ['export', '--from', '2026-11-01'],
      ['webhook', 'log', '99', '--after', 'x'],
      ['deleted', '--limit', 'x'],
    ]) {
      const { code, output } = await callMarquee(args, { DATA_DIR })
      expect([args, code]).toEqual([args, 2])
      expect(output).not.toContain('no database')
    }
    expect(existsSync(DATA_DIR)).toBe(false)
  })

  it('a command in the wrong folder says so, instead of answering from a new and empty database', async () => {
    const DATA_DIR = join(dataDir, 'no such folder')
    for (const args of [
      ['backup', join(dataDir, 'x.backup')],
      ['verify'],
      ['app', 'list'],
      ['customer', 'list'],
    ]) {
      const { code, output } = await callMarquee(args, { DATA_DIR })
      expect([args, code, output]).toEqual([
        args,
        1,
        expect.stringContaining(`marquee: there is no database in DATA_DIR ${DATA_DIR}: set DATA_DIR`),
      ])
    }
    expect(existsSync(DATA_DIR)).toBe(false)
  })

  it('a command changes no tables: it refuses a database that is empty or of an older version', async () => {
    const db = openDatabase({ url: database.url, maxConnections: 1, onError: () => {} })
    const applied = async () =>
      (await db.row<{ n: number | null }>(`select to_regclass('migration')::oid::int as n`))!.n === null
        ? 0
        : (await db.row<{ n: number }>('select count(*)::int as n from migration'))!.n
    try {
      const refusals = async (words: string) => {
        const before = await applied()
        for (const args of [['app', 'list'], ['customer', 'list'], ['deleted'], ['verify']])
          expect([args, await run(...args)]).toEqual([
            args,
            expect.objectContaining({ code: 1, output: expect.stringContaining(words) }),
          ])
        expect(await applied()).toBe(before)
      }
      await refusals('marquee: the database has no tables of Marquee: start the service on it')
      const names = (await readdir(MIGRATIONS)).filter(name => name.endsWith('.sql')).sort()
      await migrate(database.url, names.slice(0, names.indexOf('0100-erasure.sql')))
      await refusals('marquee: the database is from an older version (it lacks 0100-erasure.sql')
    } finally {
      await db.close()
    }
  })

  it('migrates, once', async () => {
    expect((await run('migrate')).output).toContain('0100-erasure.sql')
    expect((await run('migrate')).output).toContain('up to date')
  })

  it('app origins: show, replace and clear, as browsers write them', async () => {
    await json('app', 'create', 'pages')
    const origins = async (...given: string[]) => (await json('app', 'origins', 'pages', ...given)).origins
    expect(await origins()).toEqual([])
    const wanted = ['https://ads.shop.example', 'http://localhost:5173']
    expect(await origins('https://ADS.shop.example:443/', wanted[1]!, wanted[0]!)).toEqual(wanted)
    expect(await origins()).toEqual(wanted)
    expect((await run('app', 'origins', 'pages')).output).toContain(wanted.join(', '))
    expect(await origins('none')).toEqual([])
    expect((await run('app', 'origins', 'nobody')).output).toContain('nobody')
  })

  it('app: create, list, provision, rotate, revoke', async () => {
    const app = await json('app', 'create', 'shop', '--passcode', 'on')
    expect(app).toMatchObject({ name: 'shop', passcode: true, nopasscode: false, platform: 'console' })
    expect(app.superkey).toMatch(/^mqsk_/)
    const provisioned = await json(
      'app',
      'provision',
      'shop',
      '--nopasscode',
      'on',
      '--platform',
      'https://p.example/x',
    )
    expect(provisioned).toMatchObject({ passcode: true, nopasscode: true, platform: 'https://p.example/x' })
    const rotated = await json('app', 'rotate', 'shop')
    expect(rotated.superkey).not.toBe(app.superkey)
    expect((await run('app', 'revoke', 'shop')).code).toBe(0)
    const table = (await run('app', 'list')).output
    expect(table).toMatch(/^appId +name +passcode/)
    expect(table).toMatch(/shop +yes +yes +no +https:\/\/p\.example\/x/)
  })

  it('app pair: add, list, rotate by its name, revoke', async () => {
    await json('app', 'create', 'several')
    const made = await json(
      'app',
      'pair',
      'add',
      'several',
      'reporting',
      '--scope',
      'read',
      '--expires',
      '90d',
    )
    expect(made).toMatchObject({ name: 'reporting', scope: 'read', cuids: null })
    expect(made.superkey).toMatch(/^mqsk_/)
    const rotated = await json('app', 'rotate', 'several', '--pair', 'reporting')
    const listed = await json('app', 'pair', 'list', 'several')
    expect(listed).toMatchObject([
      { name: null, scope: 'all', expires: null },
      { key: rotated.superkey, name: 'reporting', scope: 'read', lastUsed: null },
    ])
    expect(listed[1].expires).not.toBeNull()
    expect((await run('app', 'pair', 'revoke', 'several', rotated.superkey)).code).toBe(0)
    expect((await run('app', 'pair', 'list', 'several')).output).toMatch(/^key +name +scope +customers/)
    expect(await json('app', 'pair', 'list', 'several')).toHaveLength(1)
  })

  it('app staff: add, list, change, remove', async () => {
    const add = ['app', 'staff', 'add', 'sue@shop.example', '--role', 'support', '--name', 'Sue']
    const made = await json(...add, '--app', 'several')
    expect(made).toMatchObject({ email: 'sue@shop.example', name: 'Sue', role: 'support', joined: null })
    const again = await run(...add, '--app', 'several')
    expect([again.code, again.output]).toEqual([1, expect.stringContaining('already')])
    const admin = await json(
      'app',
      'staff',
      'change',
      'Sue@shop.example',
      '--role',
      'admin',
      '--app',
      'several',
    )
    expect(admin).toMatchObject({ name: 'Sue', role: 'admin' })
    expect(await json('app', 'staff', 'list', '--app', 'several')).toMatchObject([{ role: 'admin' }])
    const reset = await json('app', 'staff', 'reset-passkeys', 'sue@shop.example', '--app', 'several')
    expect(reset).toEqual({ email: 'sue@shop.example', passkeys: 0 })
    expect((await run('app', 'staff', 'remove', 'sue@shop.example', '--app', 'several')).code).toBe(0)
    expect(await json('app', 'staff', 'list', '--app', 'several')).toEqual([])
  })

  it('app brand: sets, keeps and clears title, colour and logo', async () => {
    const logo = join(dataDir, 'logo.jpg')
    const background = { r: 10, g: 125, b: 79 }
    await sharp({ create: { width: 900, height: 300, channels: 3, background } })
      .jpeg()
      .toFile(logo)
    await json('app', 'create', 'branded')
    const first = await json('app', 'brand', 'branded', '--title', 'Shop Ads', '--color', '#0A7D4F')
    expect(first).toEqual({ name: 'branded', title: 'Shop Ads', color: '#0a7d4f', logo: null })
    const second = await json('app', 'brand', 'branded', '--logo', logo)
    expect(second).toMatchObject({ title: 'Shop Ads', color: '#0a7d4f' })
    expect(second.logo).toMatch(/^[0-9a-f]{64}$/)
    const third = await json('app', 'brand', 'branded', '--title', 'none', '--logo', 'none')
    expect(third).toEqual({ name: 'branded', title: null, color: '#0a7d4f', logo: null })
  })

  it('source: add an exchange and a site, list, switch its reasons on and off, revoke', async () => {
    const exchange = await json('source', 'add', 'exchange', 'openx', '--bills-on', 'pixel')
    expect(exchange).toMatchObject({ kind: 'exchange', billsOn: 'pixel' })
    expect(exchange.use).toMatch(/^http:\/\/localhost:8080\/openrtb2\/bid\/mqx\w{24}$/)
    const site = await json('source', 'add', 'site', 'news', 'News.example')
    expect(site).toMatchObject({ kind: 'site', domain: 'news.example', hasServerKey: true })
    expect(site.serverKey).toMatch(/^mqv\w{24}$/)
    const renewed = await json('source', 'server-key', 'news')
    expect(renewed.serverKey).toMatch(/^mqv\w{24}$/)
    expect(renewed.serverKey).not.toBe(site.serverKey)
    expect(JSON.stringify(await json('source', 'list'))).not.toContain(renewed.serverKey)
    expect(await json('source', 'debug', 'openx')).toMatchObject({ name: 'openx', debug: true })
    expect((await run('source', 'list')).output).toMatch(/openx .*yes/)
    expect(await json('source', 'debug', 'openx', '--off')).toMatchObject({ debug: false })
    await run('source', 'revoke', 'news')
    const sources = await json('source', 'list')
    expect(sources.find((source: { name: string }) => source.name === 'news').revoked).not.toBeNull()
  })

  it('attribute: declare, change, list and remove those of an app', async () => {
    await run('app', 'create', 'targeting')
    const declared = ['attribute', 'put', 'targeting', 'section']
    const made = await json(
      ...declared,
      '--kind',
      'choice',
      '--choices',
      'sport=Sport,news',
      '--public',
      'on',
    )
    expect(made).toMatchObject({ key: 'section', kind: 'choice', choices: 'sport, news', fromPublic: true })
    expect(await json(...declared, '--label', 'Part')).toMatchObject({ label: 'Part', fromPublic: true })
    expect((await run('attribute', 'put', 'targeting', 'price')).code).toBe(1)
    expect((await json('attribute', 'list', 'targeting'))[0].choices[0]).toEqual({
      value: 'sport',
      label: 'Sport',
    })
    expect(await json('attribute', 'remove', 'targeting', 'section')).toEqual({
      key: 'section',
      deleted: true,
    })
    expect(await json('attribute', 'list', 'targeting')).toEqual([])
  })

  it('signing-key: list, rotate; only a key that no longer signs can be revoked', async () => {
    expect((await run('signing-key', 'list')).output).toBe('none\n')
    expect(await json('signing-key', 'rotate')).toMatchObject({ keyId: 1, use: 'signs' })
    expect(await json('signing-key', 'rotate')).toMatchObject({ keyId: 2, use: 'signs soon' })
    for (const key of ['1', '2']) {
      const refused = await run('signing-key', 'revoke', key)
      expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('make a new one')])
    }
    await execute(database.url, "update signing_key set created_at = created_at - interval '5 minutes'")
    expect(await json('signing-key', 'revoke', '1')).toEqual({ keyId: 1, revoked: true })
    expect(await json('signing-key', 'list')).toMatchObject([{ keyId: 2, use: 'signs' }])
  })

  it('customer credit: once per reference, and a negative amount behind --', async () => {
    const db = openDatabase({ url: database.url, maxConnections: 1, onError: () => {} })
    const row = await db.row<{ cuid: number }>(
      `insert into customer (app_id, company, email, email_key, prepaid, created_at, updated_at)
       select min(app_id), 'Prepaid', 'p@cli.example', 'p@cli.example', true, now(), now() from app returning cuid`,
    )
    const cuid = String(row!.cuid)
    await db.transaction(tx => accounts.begin(tx, row!.cuid, new Date()))
    await db.close()
    const credit = (...args: string[]) => json('customer', 'credit', ...args)
    const made = await credit(cuid, '100.5', 'invoice-1', '--note', 'By bank')
    expect(made).toMatchObject({ kind: 'credit', amount: 100.5, balance: 100.5, repeated: false })
    expect(await credit(cuid, '100.5', 'invoice-1')).toMatchObject({ balance: 100.5, repeated: true })
    const lowered = await run('customer', 'credit', '--json', cuid, '--', '-0.5', 'refund-1')
    expect(JSON.parse(lowered.output)).toMatchObject({ kind: 'correction', balance: 100 })
    const refused = await callMarquee(['customer', 'credit', cuid, '--', '-101', 'refund-2'], env)
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('at most 100')])
  })

  it.each([
    [['app', 'create', 'shop'], 1, 'already'],
    [['app', 'create', ''], 2, 'name must'],
    [['app', 'rotate', 'nobody'], 1, 'not found'],
    [['app', 'pair', 'add', 'several', 'x', '--customers', '1,b'], 2, '--customers must'],
    [['app', 'pair', 'add', 'several', 'x', '--customers', '999999'], 1, 'not found'],
    [['app', 'pair', 'add', 'several', 'x', '--scope', 'write'], 2, 'Allowed choices'],
    [['app', 'pair', 'add', 'several', 'x', '--expires', 'soon'], 2, '--expires must'],
    [['app', 'staff', 'add', 'sue', '--role', 'admin', '--app', 'several'], 2, 'not an email'],
    [['app', 'staff', 'add', 'sue@shop.example', '--app', 'several'], 2, '--role'],
    [['app', 'staff', 'remove', 'nobody@shop.example', '--app', 'several'], 1, 'not found'],
    [['app', 'rotate', 'several', '--pair', 'nobody'], 1, 'not found'],
    [['app', 'provision', 'shop', '--platform', 'javascript:x'], 2, '--platform must'],
    [['app', 'rotate', 'shop', '--grace', '-1'], 2, '--grace must'],
    [['app', 'rotate', 'shop', '--grace', '31536001'], 2, '--grace must'],
    [['app', 'rotate', 'shop', '--grace', '1h'], 2, '--grace must'],
    [['app', 'rotate', 'shop', '--overlap', '-1'], 2, '--overlap must'],
    [['app', 'brand', 'shop', '--color', 'red'], 2, '--color must'],
    [['app', 'brand', 'shop', '--title', ' '], 2, '--title must'],
    [['app', 'brand', 'shop', '--logo', '/nowhere.png'], 1, 'cannot read'],
    [['app', 'brand', 'shop', '--logo', 'package.json'], 1, 'must be a PNG'],
    [['app', 'brand', 'nobody', '--title', 'x'], 1, 'not found'],
    [['source', 'add', 'site', 'x', 'not a domain'], 2, '"not a domain" is not a domain'],
    [['source', 'add', 'site', '', 'news.example'], 2, 'name must not be empty'],
    [['source', 'add', 'exchange', 'x'.repeat(101)], 2, 'name must'],
    [['source', 'server-key', 'openx'], 1, 'not found'],
    [['source', 'debug', 'nobody'], 1, 'not found'],
    [['signing-key', 'revoke', '99'], 1, 'not found'],
    [['signing-key', 'revoke', 'first'], 2, 'not the number of a key'],
    [['customer', 'access', '99', 'off'], 1, 'not found'],
    [['customer', 'access', 'x', 'off'], 2, 'is not a customer id'],
    [['customer', 'restore', '99'], 1, 'not found'],
    [['customer', 'credit', '99', '10', 'a'], 1, 'not found'],
    [['customer', 'credit', '99', '1,5', 'a'], 2, 'amount must be a number such as 100 or 19.90, not "1,5"'],
    [['customer', 'credit', '99', '1.001', 'a'], 2, 'amount must'],
    [
      ['customer', 'credit', '99', '0x10', 'a'],
      2,
      'amount must be a number such as 100 or 19.90, not "0x10"',
    ],
    [['customer', 'credit', '99', '1e3', 'a'], 2, 'amount must be a number'],
    [['customer', 'credit', '99', '', 'a'], 2, 'amount must be a number'],
    [['export', '--url', ''], 2, 'no target'],
    [['export', '--url', 'https://bucket.example/x'], 2, '--url must be a folder or s3://bucket/prefix'],
    [['export', '--url', '/dev/null/x'], 1, 'marquee: a part of the path is a file: /dev/null/x'],
    [['customer', 'credit', '99', '0', 'a'], 2, 'must not be 0'],
    [['customer', 'credit', '99', '-0.00', 'a'], 2, 'must not be 0'],
    [['customer', 'credit', '99', '10', 'x'.repeat(1000)], 2, 'reference'],
    [['restore', 'no such file'], 1, 'neither an id nor a backup file'],
    [['nonsense'], 2, 'unknown command'],
    [['app', 'list', '--nonsense'], 2, 'unknown option'],
  ])('%j is refused with exit code %i and a reason', async (args, code, text) => {
    const result = await callMarquee(args, env)
    expect(result.code).toBe(code)
    expect(result.output).toContain(text)
    expect(result.output).not.toContain('    at ')
  })

  it('every command has a description, and every command that does something has an example', async () => {
    const walk = (command: Command): void => {
      expect(command.description(), command.name()).not.toBe('')
      for (const child of command.commands) walk(child)
    }
    const program = await createProgram()
    walk(program)
    for (const name of program.commands.map(command => command.name()))
      expect((await createProgram([name])).commands.map(command => command.name())).toEqual([name])
    expect((await run('--help')).output).toContain('serve')
    expect((await run('--version')).output.trim()).toMatch(/^\d+\.\d+\.\d+$/)
    expect((await run('deployment', 'set', 'TIMEZONE', 'Nowhere')).output).toContain('TIMEZONE must be')
    expect((await run('app', 'create', '--help')).output).toContain('Example:')
  })
})
