// What all apps have declared, as requests are read by it: by key, because a request does not know apps.

import type { Db } from '../../platform/database.ts'
import type { AttributeKind } from './contract.ts'
import { type AttributeRow, selectAttributes } from './queries.ts'
import { attributeName } from './wanted.ts'

export interface BookedAttribute {
  appId: number
  key: string
  /** See `attributeName`. */
  name: string
  kind: AttributeKind
  fromPublic: boolean
  /** Of a choice: its values. */
  choices: ReadonlySet<string> | null
}

export type AttributeBook = ReadonlyMap<string, readonly BookedAttribute[]>

export const EMPTY_BOOK: AttributeBook = new Map()

/** `appId` null: of all apps. */
export async function readAttributeBook(db: Db, appId: number | null): Promise<AttributeBook> {
  const book = new Map<string, BookedAttribute[]>()
  for (const row of await selectAttributes(db, appId)) {
    const known = book.get(row.key)
    if (known) known.push(toBooked(row))
    else book.set(row.key, [toBooked(row)])
  }
  return book
}

function toBooked({ app_id, key, kind, choices, from_public }: AttributeRow): BookedAttribute {
  return {
    appId: app_id,
    key,
    name: attributeName(app_id, key),
    kind,
    fromPublic: from_public,
    choices: kind === 'choice' ? new Set(choices.map(({ value }) => value)) : null,
  }
}
