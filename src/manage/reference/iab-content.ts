// The IAB's Content Taxonomies 2.x and 3.x, for blocks only: which codes of taxonomy 1.0 a block in them covers
// (data/NOTICE.md). Their ids are the same in all of these versions, but some have other parents: here they have both.

import { readFileSync } from 'node:fs'

interface Category {
  parents: string[]
  codes: string[]
}

/** Ids of AdCOM's list of taxonomies: Content 2.0, 2.1, 2.2, 3.0, 3.1. */
const TAXONOMIES = new Set([2, 5, 6, 7, 9])
/** Of the kind, language and source of content, which say nothing about what is advertised. */
const DESCRIPTIVE = /^1\d{3}$/

const CATEGORIES: ReadonlyMap<string, Category> = new Map(
  readFileSync(new URL('./data/iab-content.tsv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => {
      const [id, parents, codes] = line.split('\t') as [string, string, string]
      return [id, { parents: partsOf(parents), codes: partsOf(codes) }]
    }),
)

function partsOf(text: string): string[] {
  return text === '' ? [] : text.split(',')
}

const COVERED = coveredCodes()

/** Each category covers its own codes and those beneath it. One that has none has those of its nearest parents. */
function coveredCodes(): Map<string, readonly string[]> {
  const covered = new Map<string, Set<string>>([...CATEGORIES.keys()].map(id => [id, new Set()]))
  const addAbove = (id: string, codes: string[]): void => {
    for (const code of codes) covered.get(id)!.add(code)
    for (const parent of CATEGORIES.get(id)!.parents) addAbove(parent, codes)
  }
  for (const [id, { codes }] of CATEGORIES) addAbove(id, codes)
  const nearest = (id: string): string[] => {
    const { codes, parents } = CATEGORIES.get(id)!
    return codes.length > 0 ? codes : parents.flatMap(nearest)
  }
  return new Map([...covered].map(([id, codes]) => [id, codes.size > 0 ? [...codes] : nearest(id)]))
}

export function isContentTaxonomy(id: unknown): boolean {
  return TAXONOMIES.has(Number(id))
}

/** The codes of taxonomy 1.0 that a block of this category covers; null: it is not a category. */
export function coveredByContent(id: string): readonly string[] | null {
  return COVERED.get(id) ?? (DESCRIPTIVE.test(id) ? [] : null)
}
