// One word, one meaning: what docs/words.md says is in the code is there, and the words that decision 148 retired are
// no names any more. Sentences may use them: only identifiers and file names are searched.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter(path => path && existsSync(join(ROOT, path)))
const sources = tracked.filter(path => /^(src|web|sdk|bench)\/.*\.(ts|tsx|mjs)$/.test(path))

/** Each with what is said instead; in which folders, if not everywhere. */
const RETIRED: Record<string, { say: string; in?: RegExp }> = {
  vault: { say: 'open ads' },
  quiet: { say: 'compact (an ad), stalled (a campaign), idle, calm' },
  hold: { say: 'reservation, pending bill, lease, lock' },
  holds: { say: 'reservation, pending bill, lease, lock' },
  holding: { say: 'reservation' },
  turn: { say: 'cap count, slot, round' },
  turns: { say: 'cap counts, slots, rounds' },
  portion: { say: 'share (of a budget), chunk (of work)' },
  portions: { say: 'chunks' },
  till: { say: 'ad claims' },
  shelf: { say: 'live catalog' },
  behind: { say: 'pace lag' },
  told: { say: 'reported, sent, logged' },
  untold: { say: 'unreported' },
  witness: { say: 'rewind check' },
  witnessed: { say: 'mark' },
  viewer: { say: 'capped user, visitor' },
  holder: {
    say: 'lock holder, allowance',
    in: /^(?!src\/(platform\/embedded-postgres|budget\/shares)\/|src\/platform\/lock-holder)/,
  },
  serve: { say: 'reserve', in: /^src\/deliver\/decide\/decide/ },
  leaf: { say: 'posting list', in: /^src\/deliver\/targeting\// },
  leaves: { say: 'posting lists', in: /^src\/deliver\/targeting\// },
}
/** Of a lock one may be the holder anywhere. */
const KEPT = /^(lockHolder|LockHolder)$/

/** Without comments and texts; what a template computes stays. */
function codeOf(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\/|(?<=^|[^:'"`\\])\/\/[^\n]*/g, ' ')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, ' ')
    .replace(/`(?:[^`\\]|\\[\s\S])*`/g, template => [...template.matchAll(/\$\{([^}]*)\}/g)].join(' '))
}

const wordsOf = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map(word => word.toLowerCase())

function retiredIn(path: string, names: Iterable<string>): string[] {
  const found = new Set<string>()
  for (const name of names) {
    if (KEPT.test(name)) continue
    for (const word of wordsOf(name)) {
      const retired = Object.hasOwn(RETIRED, word) ? RETIRED[word] : undefined
      if (retired && (retired.in?.test(path) ?? true)) found.add(`${path}: ${name} (say ${retired.say})`)
    }
  }
  return [...found]
}

it('no name uses a retired word', () => {
  const found = sources.flatMap(path => [
    ...retiredIn(path, [basename(path)]),
    ...retiredIn(path, new Set(codeOf(read(path)).match(/[A-Za-z_$][\w$]*/g))),
  ])
  expect(found).toEqual([])
})

const rows = [...read('docs/words.md').matchAll(/^\| (\*\*.*?) \| (.*?) \| (.*?) ?\|$/gm)]

it('docs/words.md says each word once, and where it is in the code', () => {
  const words = rows.flatMap(([, names]) => [...names!.matchAll(/\*\*(.+?)\*\*/g)].map(match => match[1]!))
  expect(words.length).toBeGreaterThan(50)
  const twice = words.filter((word, at) => words.indexOf(word) !== at)
  expect(twice).toEqual([])
})

const migrations = tracked
  .filter(path => path.startsWith('migrations/'))
  .map(read)
  .join('\n')

it.each(rows.filter(([, , , code]) => code !== '').map(([, word, , code]) => [word!, code!]))(
  '%s is where docs/words.md says',
  (_word, code) => {
    for (const part of code.split('; ')) {
      const table = /^table `(\w+)`$/.exec(part)?.[1]
      if (table) {
        expect(migrations).toMatch(new RegExp(`create table (if not exists )?${table}\\b`))
        continue
      }
      const [path, ...names] = [...part.matchAll(/`([^`]+)`/g)].map(match => match[1]!)
      expect(
        tracked.some(file => file === path || file.startsWith(`${path}/`) || file.startsWith(path!)),
      ).toBe(true)
      for (const name of names)
        expect(read(path!)).toMatch(
          new RegExp(`^export (async )?(function\\*? |interface |type |const |class )${name}\\b`, 'm'),
        )
    }
  },
)
