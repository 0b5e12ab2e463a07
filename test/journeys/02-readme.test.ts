// The README's first session and the guides that follow it, run as written, with the built service.

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { blocksOf } from '../support/blocks.ts'
import { freePort } from '../support/ports.ts'
import { runMarquee, startProcess } from '../support/process.ts'

const ROOT = join(import.meta.dirname, '../..')

const GUIDES = [
  'getting-started',
  'publishers',
  'exchanges',
  'conversions',
  'limits',
  'errors',
  'versioning',
  'webhooks',
  'sync',
  'sso',
  'billing',
  'access',
  'deletion',
  'testing',
]

it('ends with statistics of an ad that was really served and clicked, in zsh too, and the guides continue from there', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'marquee-readme-'))
  const port = await freePort()
  const service = await startProcess({ DATA_DIR: dataDir, PORT: String(port), HOST: '127.0.0.1' })
  try {
    // Only the address and the folder differ from the text.
    const placed = (script: string) =>
      script
        .replaceAll('http://localhost:8080', `http://localhost:${port}`)
        .replaceAll('data/credentials.json', join(dataDir, 'credentials.json'))
    const session = placed(shellOf('README.md'))
    const guides = GUIDES.map(name => shellOf(`docs/${name}.md`))
    const { stdout } = await run('bash', session)
    const [customer, banner, landing, summary, series] = splitAnswers(stdout)
    expect(JSON.parse(customer!)).toMatchObject({ company: 'Blue Bikes Ltd' })
    expect(JSON.parse(banner!)).toMatchObject({ status: 'approved', width: 300, height: 250 })
    expect(landing).toMatch(/^https:\/\/bluebikes\.example\/\?mqclid=/)
    expect(JSON.parse(summary!)).toMatchObject({ imps: 1, clicks: 1, spend: 0.0025, ctr: 1 })
    const buckets = JSON.parse(series!).timeseries as { imps: number }[]
    expect(buckets.reduce((sum, bucket) => sum + bucket.imps, 0)).toBe(1)
    // Another customer with a higher price, in the other shell; then the guides.
    const other = session.replace('ann@bluebikes', 'zoe@bluebikes').replace('"cpm": 2.50', '"cpm": 3.50')
    const { stdout: told } = await run('zsh', `${other}\necho GUIDES\n${placed(guides.join('\n'))}`)
    const [again, guided] = told.split('GUIDES\n') as [string, string]
    expect(JSON.parse(splitAnswers(again)[3]!)).toMatchObject({ imps: 1, clicks: 1, spend: 0.0035, ctr: 1 })
    const [dryRun, revoked, ...lines] = splitAnswers(guided)
    expect(dryRun).toBe('dry run: 200')
    // The head of a CSV file follows on the same line.
    expect(revoked).toContain('"deleted":true}date,imps,clicks')
    expect(lines).toEqual([
      '1',
      '1',
      'an ad',
      // The higher of the two prices.
      '3.5',
      'mqv',
      'www.news.example',
      'mqv',
      'domain_unreachable',
      'true',
      'USD',
      'pixel: 200',
      '{"counted":true}buy,signup',
      '3',
      'invalid_input',
      expect.stringMatching(/^x-api-version: \d+\.\d+\.\d+/),
      // The answer to the sync follows on the same line.
      expect.stringMatching(/"secret":"whsec_.*}true$/),
      '1',
      '2',
      expect.stringMatching(/^cuid,company,.*,spend/),
      // The balance after the credit, as read, and at the end of the statement, which German spreadsheets read too.
      '100',
      '100',
      '100',
      expect.stringMatching(/;Anfangssaldo;;0;USD;/),
      // The budget of a month, the flights of another, and the price of a click.
      '500',
      '3',
      '0.35',
      // Frozen, and no longer frozen.
      'true',
      'frozen',
      'false',
      // A member with a new role, then removed.
      'viewer',
      'true',
      // A key that may only propose a higher budget.
      'pending',
      '60',
      'declined',
      'finance',
      'true',
      '0',
      // A ceiling, until it is removed.
      '500',
      'ceiling_exceeded',
      'null',
      '1.5',
      'deleted: 200',
      'restored: 200',
      'deleted customers: 200',
      'the bin: 200',
      'true',
      'tried: 200',
      'true',
    ])
    // A command that has only the data names the addresses of the running service.
    const { output } = await runMarquee(['source', 'list'], { DATA_DIR: dataDir })
    expect(output).toContain(` http://localhost:${port}/openrtb2/bid/mqx`)
  } finally {
    service.child.kill('SIGTERM')
    await service.exited
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
})

/** Everything that a page asks its reader to type into a shell. */
function shellOf(page: string): string {
  return blocksOf(page, 'sh').join('\n')
}

function run(shell: 'bash' | 'zsh', script: string) {
  const strict = shell === 'bash' ? ['-euo', 'pipefail', '-c'] : ['-f', '-eu', '-o', 'pipefail', '-c']
  return promisify(execFile)(shell, [...strict, script], { cwd: ROOT })
}

/** curl prints no line breaks, so an answer ends where the next one begins. */
function splitAnswers(text: string): string[] {
  return text
    .replaceAll('}{', '}\n{')
    .replaceAll('}http', '}\nhttp')
    .split('\n')
    .filter(line => line !== '')
}
