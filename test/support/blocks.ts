// The code blocks of a document, for tests that run them as written.

import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** `page`: the path from the root, such as `docs/publishers.md`. */
export function blocksOf(page: string, language: 'sh' | 'js' | 'html' | 'ts'): string[] {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
  const blocks = [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].filter(match => match[1] === language)
  expect([page, language, blocks.length > 0]).toEqual([page, language, true])
  return blocks.map(match => match[2]!)
}
