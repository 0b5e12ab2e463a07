// Honest ads and pixels beside each attack that once froze everybody: the p99 of honest requests, quiet and under attack,
// and their ratio. Wanted: within 3. The attacker is a process of its own, as in life, so that it shares the machine but
// not the thread; on a machine of two cores it takes its part of them.

import { type ChildProcess, fork } from 'node:child_process'
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { withBenchDatabase } from './database.ts'
import { benchService } from './marquee.ts'

const SECONDS = Number(process.env.ABUSE_SECONDS ?? 5)
const HONEST_PER_SECOND = 100

interface Target {
  port: number
  siteKey: string
}

type Attack = (target: Target) => void

const host = '127.0.0.1'

/** Sends the same bytes again and again, on connections that are opened anew when they end. */
function flood({ port }: Target, bytes: string | Buffer, connections: number, pauseMs: number): void {
  for (let n = 0; n < connections; n++) {
    const open = () => {
      const socket = connect(port, host)
      const again = setInterval(() => socket.write(bytes), pauseMs)
      socket.on('data', () => {})
      socket.on('error', () => {})
      socket.on('close', () => {
        clearInterval(again)
        setTimeout(open, pauseMs)
      })
      socket.write(bytes)
    }
    open()
  }
}

function post(path: string, body: Buffer, headers = ''): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}Content-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

const BOMB = gzipSync('['.repeat(1024 * 1024))

const ATTACKS: Record<string, Attack> = {
  'GET /openapi.json, 400 pipelined': target =>
    flood(target, 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(400), 1, 1000),
  'a gzip bomb of brackets to /ad': target =>
    flood(target, post('/ad', BOMB, 'Content-Encoding: gzip\r\n'), 2, 100),
  '7,000 nested arrays to /ad, with the key of the site': target => {
    const nested = `{"source":"${target.siteKey}","size":${'['.repeat(7000)}${']'.repeat(7000)}}`
    flood(target, post('/ad', Buffer.from(nested)), 2, 50)
  },
  '1,500 unknown fields to /ad': target => {
    const fields = Array.from({ length: 1500 }, (_, n) => `"f${n}":1`).join(',')
    flood(target, post('/ad', Buffer.from(`{"source":"${target.siteKey}",${fields}}`)), 2, 50)
  },
  'bodies of a byte at a time, 200 connections': ({ port }) => {
    for (let n = 0; n < 200; n++) {
      const socket = connect(port, host)
      socket.on('error', () => {})
      socket.write('POST /ad HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16000\r\n\r\n{')
      setInterval(() => socket.write(' '), 500)
    }
  },
  'wrong passcodes, 20 at once': target => {
    const body = Buffer.from('{"email":"nobody@a.example","passcode":"123456","app":"default"}')
    flood(target, post('/console/api/session', body), 20, 1000)
  },
  'action pixels of nobody': target =>
    flood(target, 'GET /t/a.gif?click=nobody HTTP/1.1\r\nHost: localhost\r\n\r\n', 10, 20),
}

const agent = new Agent({ keepAlive: true, maxSockets: 20 })

/** How long one request took, in ms. */
function timed(port: number, method: string, path: string, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    const request = httpRequest({ port, host, method, path, agent }, response => {
      response.resume()
      response.on('end', () => resolve(performance.now() - began))
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** An ad and a pixel in turn, so many per second whatever happens to those before. */
async function p99OfHonest({ port, siteKey }: Target): Promise<number> {
  const asked: Promise<number>[] = []
  const visit = JSON.stringify({ source: siteKey, size: '300x250', geo: { country: 'CA' } })
  for (let n = 0; n < SECONDS * HONEST_PER_SECOND; n++) {
    asked.push(n % 2 === 0 ? timed(port, 'POST', '/ad', visit) : timed(port, 'GET', '/t/i/forged'))
    await new Promise(resolve => setTimeout(resolve, 1000 / HONEST_PER_SECOND))
  }
  const times = (await Promise.all(asked)).sort((a, b) => a - b)
  return times[Math.floor(times.length * 0.99)]!
}

async function underAttack(name: string, target: Target): Promise<number> {
  const attacker: ChildProcess = fork(fileURLToPath(import.meta.url), [], {
    env: { ...process.env, ABUSE_ATTACK: name, ABUSE_TARGET: JSON.stringify(target) },
  })
  await new Promise(resolve => setTimeout(resolve, 1000))
  try {
    return await p99OfHonest(target)
  } finally {
    attacker.kill()
  }
}

async function main(): Promise<void> {
  await withBenchDatabase(async (url, dataDir) => {
    const service = await benchService(url, dataDir)
    const port = Number(new URL(await service.listen()).port)
    await service.delivery.started
    const target = { port, siteKey: service.firstCredentials!.siteKey }
    await p99OfHonest(target)
    console.log('honest p99 in ms: quiet, under attack, ratio')
    for (const name of Object.keys(ATTACKS)) {
      const quiet = await p99OfHonest(target)
      const attacked = await underAttack(name, target)
      const ratio = (attacked / quiet).toFixed(1)
      console.log(
        `${quiet.toFixed(1).padStart(8)} ${attacked.toFixed(1).padStart(8)} ${ratio.padStart(6)}  ${name}`,
      )
    }
    agent.destroy()
    await service.stop()
  })
}

const attack = process.env.ABUSE_ATTACK
if (attack === undefined) await main()
else ATTACKS[attack]!(JSON.parse(process.env.ABUSE_TARGET!))
