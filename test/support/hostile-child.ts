// A child process like those of the service that does what hostile images would make it do.

import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises'
import { serveImages } from '../../src/platform/images/child.ts'

const kept: Buffer[] = []

serveImages(
  {
    count: async bytes => bytes.length,
    wait: async () => sleep(1_000, 'waited'),
    die: async () => process.exit(3),
    throw: async () => {
      setImmediate(() => {
        throw new Error('no more')
      })
      await sleep(1_000)
    },
    crash: async () => process.kill(process.pid, 'SIGSEGV'),
    forbidden: async () => process.kill(process.pid, 'SIGSYS'),
    fail: async () => {
      throw new Error('not this one')
    },
    // The loop needs a condition: bundlers remove it otherwise.
    loop: async () => {
      while (process.pid > 0);
    },
    burn: async () => {
      for (;;) {
        for (let i = 0; i < 1e6; i++);
        await nextLoop()
      }
    },
    eat: async () => {
      for (;;) {
        kept.push(Buffer.alloc(1_000_000, 1))
        await nextLoop()
      }
    },
    keep: async () => void kept.push(Buffer.alloc(180_000_000, 1)),
  },
  { mostMemoryBytes: 300_000_000, mostProcessorMs: 500 },
)
