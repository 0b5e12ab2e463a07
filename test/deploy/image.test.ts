// The image, really built and started: on a base made by debootstrap with Node and npm from their packages, because the
// tests have no image registry. It runs as in a container: not as root, on a read-only root.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { freePort } from '../support/ports.ts'

const ROOT = join(import.meta.dirname, '../..')
const MOST_BYTES = 250_000_000
const MINUTES = 60_000

let folder: string
let root: string
let database: TestDatabase
let forward: Server

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'marquee-image-'))
  execFileSync(join(ROOT, 'test/deploy/build-image'), [folder], { stdio: 'pipe' })
  root = realpathSync(join(folder, 'root'))
  database = await createTestDatabase()
  forward = createServer(socket => {
    const there = connect(socketPath(database.url))
    socket.pipe(there).pipe(socket)
    for (const end of [socket, there]) end.on('error', () => end.destroy())
  }).listen(0, '127.0.0.1')
  await once(forward, 'listening')
}, 10 * MINUTES)

afterAll(async () => {
  forward?.close()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

test('it is small, and has no shell, package manager or compiler', () => {
  const bytes = execFileSync('du', ['--apparent-size', '-sb', root], { encoding: 'utf8' }).split('\t')[0]
  expect(Number(bytes)).toBeLessThan(MOST_BYTES)
  const programs = execFileSync('find', [root, '-xdev', '-type', 'f', '-perm', '/111', '-path', '*/bin/*'], {
    encoding: 'utf8',
  })
  const outside = programs.split('\n').filter(path => path && !path.includes('/app/node_modules/'))
  expect(outside).toEqual([join(root, 'usr/local/bin/node')])
  expect(existsSync(join(root, 'app/node_modules/typescript'))).toBe(false)
})

test('it declares its user, its port and its health check', () => {
  const { config } = JSON.parse(readFileSync(join(folder, 'image.json'), 'utf8')).Docker
  expect(config.User).toBe('65532:65532')
  expect(Object.keys(config.ExposedPorts)).toEqual(['8080/tcp'])
  expect(Object.keys(config.Volumes)).toEqual(['/data'])
  expect(config.Healthcheck.Test).toEqual(['CMD', 'node', '/app/script/healthy.mjs'])
})

test(
  'it starts on a read-only root as an unprivileged user, becomes healthy and ready, and stops cleanly',
  async () => {
    const port = await freePort()
    const { port: databasePort } = forward.address() as { port: number }
    const settings = { PORT: String(port), DATABASE_URL: overTcp(database.url, databasePort) }
    const service = contained(['node', '/app/dist/src/main.js', 'serve'], settings)
    let output = ''
    for (const stream of [service.stdout!, service.stderr!]) stream.on('data', chunk => (output += chunk))
    try {
      await until(async () => {
        if (service.exitCode !== null) throw new Error(`it ended:\n${output}`)
        return (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok === true
      })
      const [healthy] = await once(contained(['node', '/app/script/healthy.mjs'], settings), 'exit')
      expect(healthy).toBe(0)
      const page = await fetch(`http://127.0.0.1:${port}/console`)
      expect(page.status).toBe(200)
    } finally {
      service.kill('SIGTERM')
    }
    const [code] = service.exitCode === null ? await once(service, 'exit') : [service.exitCode]
    expect(code, output).toBe(0)
    const [unhealthy] = await once(contained(['node', '/app/script/healthy.mjs'], settings), 'exit')
    expect(unhealthy).toBe(1)
  },
  2 * MINUTES,
)

/** In the image's root, which is read-only except for /data and /tmp, without any privilege. */
function contained(command: string[], settings: Record<string, string>): ChildProcess {
  const mounts = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && mount -t tmpfs -o mode=1777 none "$0/tmp" &&
    mount -t tmpfs -o mode=0700,uid=65532,gid=65532 none "$0/data" && mount --rbind /proc "$0/proc" &&
    exec chroot --userspec=65532:65532 "$0" "$@"`
  const env = {
    PATH: '/usr/local/bin',
    DATA_DIR: '/data',
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    ...settings,
  }
  const words = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  return spawn(
    'unshare',
    ['--mount', 'sh', '-c', mounts, root, '/usr/local/bin/node', '-e', START, ...words, '--', ...command],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
}

/** There is no `env` in the image: Node sets the environment and becomes the command. */
const START = `
  const words = process.argv.slice(1), end = words.indexOf('--')
  const env = Object.fromEntries(words.slice(0, end).map(word => word.split(/=(.*)/s).slice(0, 2)))
  const child = require('node:child_process').spawn(process.execPath, words.slice(end + 2), { env, stdio: 'inherit' })
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', code => process.exit(code ?? 1))`

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + MINUTES
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('it did not become ready')
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

function socketPath(url: string): string {
  const query = new URLSearchParams(url.split('?')[1])
  return join(query.get('host')!, `.s.PGSQL.${query.get('port') ?? 5432}`)
}

function overTcp(url: string, port: number): string {
  const query = new URLSearchParams(url.split('?')[1])
  query.delete('host')
  query.delete('port')
  const [, credentials = '', name] = /^postgres(?:ql)?:\/\/([^/]*@)?[^/]*\/([^?]*)/.exec(url)!
  return `postgres://${credentials}127.0.0.1:${port}/${name}?${query}`
}
