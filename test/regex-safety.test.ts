// Every regular expression in the sources takes linear time: hostile input cannot make one hang.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { checkSync } from 'recheck'
import { describe, expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '../src')

/** A literal appears where a value may: after an opening bracket, an operator, a comma or at the start of a line. */
const LITERAL =
  /(?:[(=,?:&|!] ?|^\s+|return )\/((?:[^/\\\n[*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)\/([dgimsuvy]*)(?![\w/])/gm

/** A check takes a moment, but the machine may be busy. */
const CHECK_MS = 60_000

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap(name => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return sources(path)
    return name.endsWith('.ts') && !name.endsWith('.test.ts') ? [path] : []
  })
}

/** Comments and paths in strings are not expressions. */
function codeOf(file: string): string {
  return readFileSync(file, 'utf8')
    .replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''")
}

const found = sources(SRC).flatMap(file =>
  [...codeOf(file).matchAll(LITERAL)].map(match => ({
    file: relative(SRC, file),
    source: match[1]!,
    flags: match[2]!,
  })),
)
const literals = [...new Map(found.map(item => [`${item.source}/${item.flags}`, item])).values()]

describe('regular expressions', () => {
  it('are found', () => {
    expect(literals.length).toBeGreaterThan(60)
  })

  it.each(literals)('$file: /$source/$flags', { timeout: 2 * CHECK_MS }, ({ source, flags }) => {
    expect(checkSync(source, flags.replace('v', 'u'), { timeout: CHECK_MS }).status).toBe('safe')
  })
})
