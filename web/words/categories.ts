// The names of the IAB categories. The API has them in English; the German names have a file of their own.

import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { language } from './words.ts'

export type CategoryName = (code: string, english: string) => string

/** The names of categories in the reader's language; loads them only if `needed`. */
export function useCategoryName(needed = true): CategoryName {
  const isGerman = language() === 'de'
  const { data } = useQuery({
    queryKey: ['category-words'],
    queryFn: async () => (await import('./de-categories.ts')).deCategories,
    enabled: needed && isGerman,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const german = isGerman ? data : undefined
  return useCallback((code, english) => german?.[code] ?? english, [german])
}
