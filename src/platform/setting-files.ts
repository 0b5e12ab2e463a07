// Secrets from files: `DATABASE_URL_FILE=/run/secrets/database` is read instead of `DATABASE_URL`, as Docker and
// Kubernetes mount them. The path is never repeated: somebody may have put the secret itself there.

import { readFileSync } from 'node:fs'
import type { Env, Setting } from './setting.ts'

const MOST_BYTES = 65_536

/** The environment with the secrets of files in their settings, and what is wrong with the files, by name. */
export function withSecretFiles(
  given: Env,
  settings: Record<string, Setting<unknown>>,
): { env: Env; wrong: string[] } {
  const env = { ...given }
  const wrong: string[] = []
  for (const name of Object.keys(settings).filter(each => settings[each]!.isSecret)) {
    const path = given[`${name}_FILE`]
    if (!path) continue
    const { text = '', fault } = given[name] ? { fault: `be left out where ${name} is set` } : contentOf(path)
    if (fault) wrong.push(`${name}_FILE must ${fault}`)
    else env[name] = text
  }
  return { env, wrong }
}

function contentOf(path: string): { text?: string; fault?: string } {
  try {
    const bytes = readFileSync(path)
    if (bytes.length > MOST_BYTES) return { fault: `name a file of at most ${MOST_BYTES} bytes` }
    // Editors and `echo` end a file with a line break.
    const text = withoutLastLineBreak(bytes.toString('utf8'))
    return text === '' ? { fault: 'name a file that is not empty' } : { text }
  } catch (error) {
    return { fault: `name a file that this user can read (${(error as NodeJS.ErrnoException).code})` }
  }
}

function withoutLastLineBreak(text: string): string {
  return text.endsWith('\r\n') ? text.slice(0, -2) : text.endsWith('\n') ? text.slice(0, -1) : text
}
