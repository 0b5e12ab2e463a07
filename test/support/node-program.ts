// Node itself, in versions that this machine does not run.

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

const PLATFORM = `${process.platform}-${process.arch}`
const KEPT = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'marquee')

/** Node's own program, from its package, which is large: it is kept for all working copies. */
export function nodeOfVersion(version: string): string {
  const program = join(KEPT, `node-${PLATFORM}-${version}`)
  if (existsSync(program)) return program
  const place = mkdtempSync(join(tmpdir(), 'marquee-node-'))
  try {
    const options = { cwd: place, stdio: ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'] }
    const file = execFileSync('npm', ['pack', '--silent', `node-${PLATFORM}@${version}`], options)
    execFileSync('tar', ['xzf', file.toString().trim(), '--strip-components=2', 'package/bin/node'], options)
    mkdirSync(KEPT, { recursive: true })
    // Two working copies may make it at once: each puts a whole one in place.
    const whole = `${program}.${process.pid}`
    copyFileSync(join(place, 'node'), whole)
    renameSync(whole, program)
    return program
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}
