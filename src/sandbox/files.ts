// Files of a process in DATA_DIR that belong to a sandbox as it was before it was emptied: journals of promised ads,
// and mails. A process notices at its next start, also if another one has emptied the sandbox.

import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FORMER = /^(ledger(-\d+)?|outbox)$/
/** Says how often the sandbox had been emptied when the files were made. */
const MARK = 'sandbox-resets'

export async function removeFormerFiles(dataDir: string, resets: number): Promise<void> {
  const path = join(dataDir, MARK)
  const known = await readFile(path, 'utf8').catch(() => '0')
  if (Number(known) === resets) return
  for (const name of await readdir(dataDir))
    if (FORMER.test(name)) await rm(join(dataDir, name), { recursive: true, force: true })
  await writeFile(path, `${resets}\n`)
}
