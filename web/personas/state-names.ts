// Names of the states in places, one call per country: `DE-BE` → `Berlin`. Until a name is known, its code is shown.

import { useQueries } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api } from '../api/client.ts'

interface Place {
  value: string
  label: string
}

/** The name of a state by its code with the country; undefined while unknown. */
export type StateName = (code: string) => string | undefined

export function useStateNames(places: readonly string[]): StateName {
  const countries = [...new Set(places.filter(place => place.includes('-')).map(countryOf))].sort()
  const names = useQueries({
    queries: countries.map(country => ({
      queryKey: ['states', country],
      queryFn: () => api.listStates({ country }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine,
  })
  return useCallback(code => names.get(code), [names])
}

const combine = (answers: { data?: Place[] | undefined }[]) =>
  new Map(answers.flatMap(({ data = [] }) => data.map(nameByCode)))

const countryOf = (place: string) => place.split('-', 1)[0]!

/** The label ends with the country. */
function nameByCode({ value, label }: Place): [string, string] {
  return [value, label.slice(0, label.lastIndexOf(', '))]
}
