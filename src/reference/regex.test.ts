import { readdirSync, readFileSync } from 'node:fs'
import { checkSync } from 'recheck'
import { expect, test } from 'vitest'

const folder = new URL('./', import.meta.url)
// A regular expression as this folder writes them: after '(', '=' or '??', on one line.
const LITERAL = /(?:[(=] ?|^\s+)\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/gm

const literals = readdirSync(folder)
  .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .flatMap(file => {
    const text = readFileSync(new URL(file, folder), 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    return [...text.matchAll(LITERAL)].map(([, source, flags]) => ({ file, source: source!, flags: flags! }))
  })

test('the regular expressions of this folder are found', () => {
  expect(literals.length).toBeGreaterThanOrEqual(10)
})

test.each(literals)('$file: /$source/ takes linear time', ({ source, flags }) => {
  expect(checkSync(source, flags).status).toBe('safe')
})
