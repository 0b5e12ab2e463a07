// The names of the IAB categories. The API gives them in English; the German ones are in a file of their own.

import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { language } from './words.ts'

export type CategoryName = (code: string, english: string) => string

/** How categories are called in the reader's language; loads the names where they are `needed`. */
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
