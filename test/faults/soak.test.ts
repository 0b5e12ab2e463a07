// The short form of bench/soak.ts: a broken database connection leaves nothing behind.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const SOAK = join(import.meta.dirname, '../../dist/bench/soak.js')

test('memory, descriptors, connections and tables do not grow under traffic while the database connection breaks', {
  timeout: 300_000,
}, async () => {
  const env = { ...process.env, SOAK_SECONDS: '24', SOAK_RATE: '25', SOAK_IDLE: '0' }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [SOAK], { env }).catch(
    failed => failed,
  )
  console.log(stdout, stderr)
  expect(stdout).toContain('flat after warm-up')
  const { done } = JSON.parse(/steps: (.*)/.exec(stdout)![1]!)
  expect(done).toBeGreaterThan(100)
})
