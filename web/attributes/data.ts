// The attributes of the app as its pages read and change them.

import { queryOptions, useQueryClient } from '@tanstack/react-query'
import type { Attribute, UsedAttribute } from '../../src/manage/attributes/contract.ts'
import { api } from '../api/client.ts'
import { t } from '../words/words.ts'

export type { Attribute, UsedAttribute }

export const attributesQuery = queryOptions({
  queryKey: ['app-attributes'],
  queryFn: () => api.listAttributes(),
})

export const attributeChangesQuery = queryOptions({
  queryKey: ['app-attributes', 'history'],
  queryFn: () => api.readAttributeHistory({}),
})

/** Reads them again after a change, and what personas may target of them. */
export function useAttributesAgain(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    await client.invalidateQueries({ queryKey: attributesQuery.queryKey })
    await client.invalidateQueries({ queryKey: ['attributes'] })
  }
}

const NAMED = 10

/** Who targets it, in a sentence; empty: nobody does. */
export function usesOf({ uses, usedBy }: UsedAttribute): string {
  if (uses === 0) return ''
  const named = usedBy.slice(0, NAMED).map(({ pid, cuid, cid }) =>
    // Ids have no separators of thousands.
    t('attributes.use', { pid: String(pid), cuid: String(cuid), cid: String(cid) }),
  )
  const text = named.join('; ') + (uses > named.length ? ' …' : '.')
  return t('attributes.usedBy', { count: uses, uses: text })
}
