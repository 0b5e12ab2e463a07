// The dialects of ad requests as delivery sees them, and what delivery gives to each.

import type { UserCookies } from '../../count/tracking/cookie.ts'
import type { ServedSums } from '../../count/tracking/served.ts'
import type { DataRoute } from '../../http/lane/data-plane.ts'
import type { Config } from '../../platform/config.ts'
import type { AttributeDrops } from '../audience/attributes.ts'
import type { GeoLookups } from '../audience/lookups.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ServeParts } from './serve.ts'
import type { Tally } from './tally.ts'
import type { SecretsAt } from './user-secrets.ts'
import type { VisitorAllowanceOf } from './visitor-allowance.ts'

export interface Dialects {
  /** The routes once delivery has started. */
  routes(parts: DialectParts): DataRoute[]
  /** The same routes before that, which never return an ad. */
  waiting(count: Tally['count']): DataRoute[]
}

/** What a dialect needs from a delivery that has started. */
export interface DialectParts extends ServeParts {
  config: Config
  sources: Catalog['sources']
  attributes: Catalog['attributes']
  attributeDrops: AttributeDrops
  secretsAt: SecretsAt
  lookups: GeoLookups
  cookies: UserCookies
  allowanceOf: VisitorAllowanceOf
  servedSums: ServedSums
  lagMs: () => number
}
