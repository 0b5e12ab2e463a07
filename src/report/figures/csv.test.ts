// CSV, and the choice of a media type.

import { expect, it } from 'vitest'
import { csvLine, csvOf } from './csv.ts'
import { pickMedia } from './media.ts'

it('commas, quotes, line breaks and outer spaces are quoted', () => {
  expect(csvLine(['a,b', 'say "hi"', 'two\nlines', ' padded', 'plain'])).toBe(
    '"a,b","say ""hi""","two\nlines"," padded",plain\r\n',
  )
})

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1', '\n=cmd'])(
  'text that a spreadsheet would execute is escaped: %j',
  text => {
    expect(csvLine([text]).replace(/^"/, '')[0]).toBe("'")
  },
)

it.each([';', '\t', '|', ','])(
  'text with a %j stays one cell for readers that use it as a separator',
  separator => {
    const text = `a${separator}b`
    expect(csvLine([text])).toBe(`"${text}"\r\n`)
  },
)

it.each([';=1+1', 'a;=cmd', 'a\t+1', 'a|@x', 'a,-1', 'a;"=1', 'a\n=1', 'a; =1'])(
  'a formula after a separator is escaped too: %j',
  text => {
    const cells = csvLine([text]).split(/[;,|\t\r\n]/)
    for (const cell of cells) expect(cell).not.toMatch(/^["\s]*[=+\-@]/)
  },
)

it('numbers stay numbers, negative ones too, and null is empty', () => {
  expect(csvLine([-1, 0.0123, null, 0])).toBe('-1,0.0123,,0\r\n')
})

it('a table has a header even without rows', () => {
  expect(csvOf(['a', 'b'], [] as { a: number; b: number }[])).toBe('a,b\r\n')
  expect(csvOf(['b', 'a'], [{ a: 1, b: 2 }])).toBe('b,a\r\n2,1\r\n')
})

const OFFERED = ['application/json', 'text/csv'] as const
it.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV; charset=utf-8', 'text/csv'],
  ['text/*', 'text/csv'],
  ['text/csv;q=0.5, application/json', 'application/json'],
  ['application/json;q=0.1, text/csv;q=0.2', 'text/csv'],
  ['text/csv;q=0, */*', 'application/json'],
  ['image/png', 'application/json'],
  ['text/csv;q=nonsense', 'application/json'],
  ['', 'application/json'],
])('accept %j is answered with %s', (accept, wanted) => {
  expect(pickMedia(accept, OFFERED)).toBe(wanted)
})
