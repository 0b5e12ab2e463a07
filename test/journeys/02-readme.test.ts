// The README's first session, run as it is written, on the built service.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { freePort } from '../support/ports.ts'
import { startProcess } from '../support/process.ts'

const ROOT = join(import.meta.dirname, '../..')

it('ends with statistics of an ad that was really served and clicked', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'marquee-readme-'))
  const port = await freePort()
  const service = await startProcess({ DATA_DIR: dataDir, PORT: String(port), HOST: '127.0.0.1' })
  try {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(match => match[1]!)
    expect(blocks.length).toBeGreaterThan(4)
    // Only where it runs differs from what is written.
    const script = blocks
      .join('\n')
      .replaceAll('http://localhost:8080', `http://localhost:${port}`)
      .replaceAll('data/credentials.json', join(dataDir, 'credentials.json'))
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: ROOT })
    const [customer, banner, landing, summary, series] = splitAnswers(stdout)
    expect(JSON.parse(customer!)).toMatchObject({ company: 'Blue Bikes Ltd' })
    expect(JSON.parse(banner!)).toMatchObject({ status: 'approved', width: 300, height: 250 })
    expect(landing).toMatch(/^https:\/\/bluebikes\.example\/\?mqclid=/)
    expect(JSON.parse(summary!)).toMatchObject({ imps: 1, clicks: 1, spend: 0.0025, ctr: 1 })
    const buckets = JSON.parse(series!).timeseries as { imps: number }[]
    expect(buckets.reduce((sum, bucket) => sum + bucket.imps, 0)).toBe(1)
  } finally {
    service.child.kill('SIGTERM')
    await service.exited
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}, 120_000)

/** curl prints no line ends: an answer ends where the next one begins. */
function splitAnswers(text: string): string[] {
  return text
    .replaceAll('}{', '}\n{')
    .replaceAll('}http', '}\nhttp')
    .split('\n')
    .filter(line => line !== '')
}
