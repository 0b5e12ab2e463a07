// Removes files in DATA_DIR that are older than the sandbox's last reset: journals of promised ads, and emails. A
// process does this at its next start, so it does not matter which process did the reset.

import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FORMER = /^(ledger(-\d+)?|outbox)$/
/** Contains the number of resets at the time when the files were made. */
const MARK = 'sandbox-resets'

export async function removeFormerFiles(dataDir: string, resets: number): Promise<void> {
  const path = join(dataDir, MARK)
  const known = await readFile(path, 'utf8').catch(() => '0')
  if (Number(known) === resets) return
  for (const name of await readdir(dataDir))
    if (FORMER.test(name)) await rm(join(dataDir, name), { recursive: true, force: true })
  await writeFile(path, `${resets}\n`)
}
