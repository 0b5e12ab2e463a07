// Reference endpoints. The lists change only with a release, so caches may keep them.

import { Answer, type Api } from '../../http/api.ts'
import { invalidField } from '../../kernel/errors/problem.ts'
import { AD_SIZES } from './ad-sizes.ts'
import * as contract from './contract.ts'
import { countryCode } from './countries.ts'
import { iabTree } from './iab.ts'
import { searchPlaces, statesOf, townsIn } from './search.ts'

const CACHEABLE = {
  'cache-control': 'public, max-age=86400',
  // Pages of other sites may use them: they contain no private data.
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

export function referenceRoutes(api: Api): void {
  const categories = iabTree().map(({ code, name, children }) => ({ code, name, children: [...children] }))
  const sizes = AD_SIZES.map(({ width, height, name, maxBytes }) => ({ width, height, name, maxBytes }))

  api.bind(contract.listIabCategories, { handle: async () => new Answer(categories, CACHEABLE) })
  api.bind(contract.listAdSizes, { handle: async () => new Answer(sizes, CACHEABLE) })
  api.bind(contract.findTowns, {
    handle: async ({ query }) => {
      const { west, south, east, north } = query as Record<'west' | 'south' | 'east' | 'north', number>
      const limit = (query.limit as number | undefined) ?? contract.DEFAULT_FOUND_PLACES
      return new Answer(townsIn({ west, south, east, north }, limit), CACHEABLE)
    },
  })
  api.bind(contract.listStates, {
    handle: async ({ query }) => {
      const entry = query.country as string
      const country = countryCode(entry)
      if (!country) throw invalidField('?country', 'place_country_unknown', { entry, country: entry })
      return new Answer(statesOf(country), CACHEABLE)
    },
  })
  api.bind(contract.findPlaces, {
    handle: async ({ query }) => {
      const limit = (query.limit as number | undefined) ?? contract.DEFAULT_FOUND_PLACES
      return new Answer(searchPlaces(query.q as string, limit), CACHEABLE)
    },
  })
}
