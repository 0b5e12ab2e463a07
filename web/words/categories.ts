// The names of the IAB categories. The API gives them in English; the German ones are in a file of their own.

import { useQuery } from '@tanstack/react-query'
import { language } from './words.ts'

let german: Record<string, string> = {}

/** Loads the names that the reader's language needs. */
export function useCategoryWords(): void {
  useQuery({
    queryKey: ['category-words'],
    queryFn: async () => {
      german = (await import('./de-categories.ts')).deCategories
      return true
    },
    enabled: language() === 'de',
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function categoryName(code: string, english: string): string {
  return language() === 'de' ? (german[code] ?? english) : english
}
