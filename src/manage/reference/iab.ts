// IAB Content Taxonomy 1.0: 26 categories of tier 1 and 366 below them, with the IAB's codes and names
// (data/NOTICE.md). A parent covers its sub-categories, but not the other way round.
import { readFileSync } from 'node:fs'
import { foldText } from './fold.ts'
import { nearest } from './near.ts'

export interface IabCategory {
  code: string
  name: string
}

export interface IabBranch extends IabCategory {
  children: IabCategory[]
}

const MAX_SUGGESTIONS = 3

const NAMES: ReadonlyMap<string, string> = new Map(
  readFileSync(new URL('./data/iab.tsv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => line.split('\t') as [string, string]),
)

export function isIabCode(code: string): boolean {
  return NAMES.has(code)
}

export function iabName(code: string): string | null {
  return NAMES.get(code) ?? null
}

const NUMBERS: ReadonlyMap<string, number> = new Map([...NAMES.keys()].map((code, at) => [code, at + 1]))

/**
 * The position of a category in the IAB's list, from 1; 0 if it is not a code. Figures are stored by this number, so
 * the list must never be reordered.
 */
export function iabNumber(code: string): number {
  return NUMBERS.get(code) ?? 0
}

/** All codes, in the order of their numbers. */
export function iabCodes(): string[] {
  return [...NAMES.keys()]
}

/** 'IAB1' for 'IAB1-2'; null for tier 1 and for anything that is not a code. */
export function iabParent(code: string): string | null {
  const hyphen = code.indexOf('-')
  return hyphen > 0 && NAMES.has(code) ? code.slice(0, hyphen) : null
}

const TREE: readonly IabBranch[] = buildTree()

function buildTree(): IabBranch[] {
  const branches = new Map<string, IabBranch>()
  for (const [code, name] of NAMES) {
    const parent = iabParent(code)
    if (parent === null) branches.set(code, { code, name, children: [] })
    else branches.get(parent)!.children.push({ code, name })
  }
  return [...branches.values()]
}

/** Tier 1 in the IAB's order, each with its sub-categories. */
export function iabTree(): readonly IabBranch[] {
  return TREE
}

const FOLDED = [...NAMES].map(([code, name]) => ({ code, name, folded: foldText(name) }))

/** What was probably meant by a text that is not a code: a code written differently, or a name. */
export function suggestIab(text: string): IabCategory[] {
  const folded = foldText(text)
  if (folded === '') return []
  const coded = suggestCode(folded)
  if (coded) return [{ code: coded, name: NAMES.get(coded)! }]
  const same = FOLDED.filter(category => category.folded === folded)
  const begins = FOLDED.filter(category => category.folded.startsWith(folded))
  const word = FOLDED.filter(category => ` ${category.folded}`.includes(` ${folded}`))
  const near = nearest(folded, FOLDED, category => category.folded, MAX_SUGGESTIONS)
  const found = new Set(folded.length < 2 ? same : [...same, ...begins, ...word, ...near])
  return [...found].slice(0, MAX_SUGGESTIONS).map(({ code, name }) => ({ code, name }))
}

/** 'iab 9 30', 'iab9 30', '9 30' → IAB9-30; a sub-category that does not exist → its parent. */
function suggestCode(folded: string): string | null {
  const parts = /^(?:iab ?)?(\d{1,4})(?: (\d{1,4}))?$/.exec(folded)
  if (!parts) return null
  const parent = `IAB${Number(parts[1])}`
  const child = parts[2] === undefined ? parent : `${parent}-${Number(parts[2])}`
  if (NAMES.has(child)) return child
  return NAMES.has(parent) ? parent : null
}
