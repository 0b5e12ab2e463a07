// Reads the entries of `sites` and of site lists: each in one spelling, so that what is the same is written the same.

import { type FieldError, fieldError } from '../../kernel/errors/field-error.ts'
import { parseId } from '../../kernel/id.ts'
import { APP, LIST, SOURCE, type StoredSites } from '../../kernel/sites.ts'
import { siteOf } from '../sources/domain.ts'
import { LIST_KEY, type Sites } from './contract.ts'

const KEY = new RegExp(LIST_KEY)
const LONGEST_BUNDLE = 255
/** Blanks and control characters, and halves of surrogate pairs. */
const NOT_IN_BUNDLES = /[\s\p{Cc}\p{Cs}]/u

/** The entry in the spelling that is stored and compared; null: it is none. */
export function entryOf(text: string): string | null {
  if (text.startsWith(APP)) return bundleOf(text.slice(APP.length).trim())
  if (text.startsWith(SOURCE)) {
    const sourceId = parseId(text.slice(SOURCE.length).trim())
    return sourceId === null ? null : SOURCE + sourceId
  }
  if (text.startsWith(LIST)) {
    const key = text.slice(LIST.length).trim()
    return KEY.test(key) ? LIST + key : null
  }
  return siteOf(text)
}

/** In lower case: stores differ in how they write the same bundle. */
function bundleOf(text: string): string | null {
  const bundle = text.toLowerCase()
  return bundle === '' || bundle.length > LONGEST_BUNDLE || NOT_IN_BUNDLES.test(bundle) ? null : APP + bundle
}

/** Entries as they are stored, each once; what is none, and a list in a list, is a fault. */
export function entriesOf(
  texts: readonly string[],
  path: string,
  { inList = false }: { inList?: boolean } = {},
): { entries: string[]; faults: FieldError[] } {
  const entries = new Set<string>()
  const faults: FieldError[] = []
  for (const [n, text] of texts.entries()) {
    const entry = entryOf(text)
    if (entry === null) faults.push(fieldError(`${path}/${n}`, 'not_a_site_entry', { value: text }))
    else if (inList && entry.startsWith(LIST)) faults.push(fieldError(`${path}/${n}`, 'list_in_list'))
    else entries.add(entry)
  }
  return { entries: [...entries], faults }
}

/** Null if there is no restriction. Faults are those of `siteFaults`: what is none is left out here. */
export function sitesOf(sites: Sites | null | undefined): StoredSites | null {
  const only = entriesOf(sites?.only ?? [], '').entries
  const not = entriesOf(sites?.not ?? [], '').entries
  return only.length === 0 && not.length === 0 ? null : { only, not }
}

export function siteFaults(sites: Sites | null | undefined): FieldError[] {
  if (!sites) return []
  return (['only', 'not'] as const).flatMap(side => entriesOf(sites[side] ?? [], `/sites/${side}`).faults)
}
