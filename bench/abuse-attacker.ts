// The attacker's process: sends what an attack defines, from loopback addresses that no visitor uses, and counts the
// answers.

import { connect, type Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import { ATTACKS } from './abuse-attacks.ts'
import type { Target } from './abuse-world.ts'

const AGAIN_MS = 100
const TICK_MS = 10

export function begin(name: string, target: Target): void {
  setPriority(constants.priority.PRIORITY_LOW)
  const answers: Record<string, number> = {}
  const count = (chunk: Buffer) => {
    for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g))
      answers[status!] = (answers[status!] ?? 0) + 1
  }

  function dial(write: (socket: Socket) => void, n = 0): void {
    const socket = connect({ port: target.port, host: '127.0.0.1', localAddress: `127.66.0.${1 + n}` })
    socket.on('data', count)
    socket.on('error', () => {})
    socket.on('close', () => setTimeout(dial, AGAIN_MS, write, n))
    socket.on('connect', () => write(socket))
  }

  function flood(bytes: (n: number) => string | Buffer, perSecond: number, connections: number): void {
    const open: (Socket | null)[] = new Array(connections).fill(null)
    for (let n = 0; n < connections; n++)
      dial(socket => {
        open[n] = socket
      }, n)
    const began = performance.now()
    let sent = 0
    setInterval(() => {
      for (const due = ((performance.now() - began) * perSecond) / 1000; sent < due; sent++) {
        const socket = open[sent % connections]
        if (socket?.writable && !socket.writableNeedDrain) socket.write(bytes(sent))
      }
    }, TICK_MS)
  }

  process.on('message', () => process.send?.(answers))
  ATTACKS[name]!.begin({ target, dial, flood })
  process.send?.('begun')
}
