// The programs of the guides, run as written.

import { transform } from 'esbuild'
import { blocksOf } from './blocks.ts'

const AsyncFunction = (async () => {}).constructor as new (
  ...args: string[]
) => (...args: unknown[]) => Promise<void>

/** `scope`: replacements for the reader's own names and for imports. Returns what the program printed. */
export async function runProgram(page: string, scope: Record<string, unknown>): Promise<unknown[]> {
  const told: unknown[] = []
  const say = (...values: unknown[]) => told.push(...values)
  const names = { ...scope, console: { log: say, error: say } }
  for (const block of blocksOf(page, 'ts')) {
    const body = block.replaceAll(/^import .*$/gm, '')
    const { code } = await transform(`async () => {${body}\n}`, { loader: 'ts', target: 'es2022' })
    await new AsyncFunction(...Object.keys(names), `await (${code.trim().replace(/;$/, '')})()`)(
      ...Object.values(names),
    )
  }
  return told
}
