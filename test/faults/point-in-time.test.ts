// A PostgreSQL of one's own, as docs/operating.md describes it: its password is changed under a running service, and it
// is brought back to a moment from a base backup and archived WAL. Who was erased after that moment is erased again.

import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/embedded-postgres/embedded.ts'
import { createLog } from '../../src/platform/log.ts'
import { createService, type Service } from '../../src/service/app.ts'
import { until } from '../support/banners.ts'
import { callMarquee } from '../support/process.ts'
import { callOf, startTestService, type TestService, testClock } from '../support/service.ts'

let dir: string
let dataDir: string
let archive: string
let server: EmbeddedPostgres
let service: TestService
/** On the database that was brought back. */
let again: Service
const urlFile = process.env.DATABASE_URL_FILE

const start = (more: Record<string, string> = {}) =>
  startEmbeddedPostgres({
    dataDir,
    log: () => {},
    settings: { fsync: 'off', hba_file: join(dir, 'hba'), ...more },
  })
/** The role of the service, which must give a password; ours need none. */
const urlOfService = () => server.url.replace(/\/\/[^@]*@/, '//marquee_app@')
const serve = () =>
  startTestService({ DATABASE_URL: '', DATABASE_URL_FILE: join(dir, 'url'), DATA_DIR: join(dir, 'service') })
const command = (...args: string[]) =>
  callMarquee(args, { DATABASE_URL: server.url, DATA_DIR: join(dir, 'command') })

async function admin<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

const writePassword = (password: string) =>
  writeFile(join(dir, 'url'), `${urlOfService().replace('marquee_app@', `marquee_app:${password}@`)}\n`)
const listed = async () => {
  const { body } = await callOf(again, service.app)('GET', '/customer')
  return body.map(({ company }: { company: string }) => company).toSorted()
}

beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'marquee-pitr-')))
  dataDir = join(dir, 'database')
  archive = join(dir, 'archive')
  await mkdir(archive)
  // The server may run as another user.
  await chmod(dir, 0o755)
  await chmod(archive, 0o777)
  await writeFile(join(dir, 'hba'), 'local all marquee_app scram-sha-256\nlocal all all trust\n', {
    mode: 0o644,
  })
  server = await start({ archive_mode: 'on', archive_command: `cp %p ${archive}/%f` })
  await admin("create role marquee_app login password 'first'")
  await admin('alter database marquee owner to marquee_app')
  await writePassword('first')
  process.env.DATABASE_URL_FILE = join(dir, 'url')
  service = await serve()
})
afterAll(async () => {
  await again?.stop()
  await server?.stop()
  if (urlFile === undefined) delete process.env.DATABASE_URL_FILE
  else process.env.DATABASE_URL_FILE = urlFile
  await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

test('a password in DATABASE_URL_FILE is changed without restarting a process: new connections use the new one', async () => {
  const drop = () =>
    admin("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'marquee_app'")
  await admin("alter role marquee_app password 'second'")
  await drop()
  const refused = await service.call('GET', '/customer')
  expect([refused.status, refused.body.code]).toEqual([503, 'unavailable'])
  const said = () => service.logLines.filter(line => line.includes('the database refuses our password'))
  await until(async () => said().length > 0 || null)
  await writePassword('second')
  await until(async () => (await service.call('GET', '/customer')).status === 200 || null)
  expect(service.logLines.filter(line => line.includes('"msg":"bug"'))).toEqual([])
})

test('a base backup and archived WAL bring back a moment, and erase replay erases who was erased since', async () => {
  const make = async (company: string) => (await service.newCustomer({ company })).cuid
  const [ann] = [await make('Ann'), await make('Bob')]
  await baseBackup()
  await make('Cas')
  const [moment] = await admin<{ at: string }>('select clock_timestamp()::text as at')
  await sleep(20)
  const dan = await make('Dan')
  for (const cuid of [ann, dan])
    for (const step of ['remove', 'erase']) await command('customer', step, String(cuid))
  const list = join(dir, 'erased.jsonl')
  const { output } = await command('erase', 'list')
  expect(output).not.toMatch(/Ann|Dan|@/)
  await writeFile(list, output)
  await admin('truncate customer cascade')
  await admin('select pg_switch_wal()')

  await service.stop()
  await recover(moment!.at)
  again = await createService({ config: service.config, log: createLog('silent'), clock: testClock() })
  expect(await listed()).toEqual(['Ann', 'Bob', 'Cas'])
  const replay = async () => JSON.parse((await command('erase', 'replay', list, '--json')).output)
  expect(await replay()).toEqual({ erased: 1, alreadyErased: 0, createdAfterBackup: 1 })
  expect(await replay()).toEqual({ erased: 0, alreadyErased: 1, createdAfterBackup: 1 })
  expect(await listed()).toEqual(['Bob', 'Cas'])
  expect(await admin("select 1 from customer where company = 'Ann'")).toEqual([])
  expect((await command('verify')).code).toBe(0)
})

test('erase replay refuses the list of another deployment, and what is no list, before it erases anybody', async () => {
  const [bob] = await admin<{ cuid: number; at: Date }>(
    "select cuid, created_at as at from customer where company = 'Bob'",
  )
  const list = join(dir, 'other.jsonl')
  const line = (created: string) => JSON.stringify({ cuid: Number(bob!.cuid), created, erased: created })
  for (const [text, why] of [
    [line('2020-01-01T00:00:00.000Z'), `customers ${bob!.cuid} were created at other times`],
    [`${line(bob!.at.toISOString())}\n1001`, 'line 2 of'],
  ] as const) {
    await writeFile(list, text)
    const { code, output } = await command('erase', 'replay', list)
    expect([code, output]).toEqual([1, expect.stringContaining(why)])
  }
  const missing = await command('erase', 'replay', join(dir, 'nowhere'))
  expect([missing.code, missing.output]).toEqual([1, expect.stringMatching(/^marquee: .*nowhere/)])
  expect(await listed()).toContain('Bob')
})

/** What `pg_basebackup` does: the embedded server comes without it. */
async function baseBackup(): Promise<void> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query("select pg_backup_start('base', true)")
  // Files that the server removes meanwhile belong to no backup.
  execFileSync('sh', ['-c', 'cp -a "$0" "$1" || true', join(dataDir, 'postgres'), join(dir, 'base')], {
    stdio: 'ignore',
  })
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
  await client.end()
  await writeFile(join(dir, 'base', 'backup_label'), rows[0]!.labelfile)
  execFileSync('sh', ['-c', 'rm -rf "$0"/pg_wal/* "$0/postmaster.pid"', join(dir, 'base')])
}

async function recover(at: string): Promise<void> {
  await server.stop()
  await rm(join(dataDir, 'postgres'), { recursive: true })
  execFileSync('cp', ['-a', join(dir, 'base'), join(dataDir, 'postgres')])
  await writeFile(join(dataDir, 'postgres', 'recovery.signal'), '')
  execFileSync('chown', [
    '--reference',
    join(dataDir, 'postgres', 'PG_VERSION'),
    ...['recovery.signal', 'backup_label'].map(name => join(dataDir, 'postgres', name)),
  ])
  server = await start({
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_time: at,
    recovery_target_action: 'promote',
  })
  await until(
    async () => (await admin<{ over: boolean }>('select not pg_is_in_recovery() as over'))[0]!.over || null,
  )
}
