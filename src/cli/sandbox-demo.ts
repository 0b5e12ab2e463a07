// `marquee sandbox --demo`: fills the newly started sandbox with weeks of history, and says where to look.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '../../sdk/client.ts'
import type { FirstCredentials } from '../service/first-start.ts'
import { withBar } from './bar.ts'
import { buildHistory } from './demo/history.ts'
import { SHOPS } from './demo/shops.ts'

export async function demonstrateHistory(
  { url: baseUrl, publicUrl, dataDir }: { url: string; publicUrl: string; dataDir: string },
  days: number,
): Promise<void> {
  const text = await readFile(join(dataDir, 'credentials.json'), 'utf8')
  const { superkey, supertoken } = JSON.parse(text) as FirstCredentials
  const app = createClient({ baseUrl, credentials: { superkey, supertoken } })
  await withBar(`${days} days   `, 100, bar =>
    buildHistory(app, baseUrl, {
      days,
      onProgress: part => bar.update(Math.floor(100 * part)),
    }),
  )
  const { email } = SHOPS[0]!.people[0]!
  const { location } = await app.withMeta.signInCustomer({ email })
  process.stderr.write(
    [
      '',
      `  Open the console as ${email} (works once):`,
      `    ${location}`,
      `  As staff of all ${SHOPS.length} shops, sign in at ${publicUrl}/console with the super key and token in`,
      `    ${join(dataDir, 'credentials.json')}`,
      '  Its clock stands still: the bar in the console moves it.',
      '',
      '',
    ].join('\n'),
  )
}
