// The lookups in reference data that both dialects need, as functions: parsing stays pure and needs no tables.

import type { IpPlace } from './ip-geo.ts'

export interface LocodePlace {
  country: string
  region: string
  city: string
}

export interface GeoLookups {
  /** A place name without case, diacritics and punctuation. */
  foldName(text: string): string
  /** The ISO 3166-2 code without the country for a code (`ON`, `CA-ON`) or a name (`Ontario`). */
  regionCode(country: string, text: string): string | null | undefined
  alpha2FromAlpha3(code: string): string | null | undefined
  /** The city that a UN/LOCODE (`CATOR`, `CA TOR`) stands for; `city` is folded. */
  cityFromLocode(code: string, country?: string): LocodePlace | null
  /** Whether it is an ISO 3166-1 alpha-2 code; without it only the form is checked. */
  isCountry?(code: string): boolean
  /** Whether it is a code of IAB Content Taxonomy 1.0; without it only the form is checked. */
  isCategory?(code: string): boolean
  /** Whether the agent says that it is a machine. */
  isBot?(ua: string): boolean
  /** Whether the id belongs to a user for tests, which only a sandbox has. */
  isAnyone?(userId: string | null): boolean
  /** Where an address is, according to the IP databases. */
  locate?(ip: string): IpPlace | null
}
