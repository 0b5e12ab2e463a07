// A customer as it is stored, and as the API shows it.

import { isDeepStrictEqual } from 'node:util'
import { shownCeilings } from '../../kernel/ceilings.ts'
import { fromMicros, toMicros } from '../../kernel/money.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import { pendingZone, type Zones, zoneAt } from '../../kernel/time/zones.ts'
import { sitesOf } from '../site-lists/entries.ts'
import type { Customer, NewCustomer } from './contract.ts'
import type { CustomerFields, CustomerRow } from './queries.ts'

export function fieldsOf(body: NewCustomer): CustomerFields {
  return {
    company: body.company,
    email: body.email,
    name: body.name ?? null,
    address: body.address ?? null,
    country: body.country ?? null,
    city: body.city ?? null,
    zip: body.zip ?? null,
    state: body.state ?? null,
    phone: body.phone ?? null,
    website: body.website ?? null,
    language: body.language ?? null,
    timezone: body.timezone ?? null,
    timezone_before: null,
    external_id: body.externalId ?? null,
    metadata: body.metadata ?? {},
    low_balance_micros: microsOf(body.lowBalance),
    click_parameters: body.clickParameters ?? null,
    sites: sitesOf(body.sites),
  }
}

/** Converts an amount that was checked already. */
export function microsOf(units: number | null | undefined): number | null {
  return units == null ? null : toMicros(units)
}

type Zoned = Pick<CustomerRow, 'timezone' | 'timezone_before'>

export function zonesOf({ timezone, timezone_before }: Zoned): Zones {
  return { timezone, before: timezone_before ?? [] }
}

/** Of an edit: the zones before, if they were others. */
export function zoneChange(before: Zoned | null, after: Zoned | null): { zonesBefore?: Zones } {
  if (!before || !after || isDeepStrictEqual(zonesOf(before), zonesOf(after))) return {}
  return { zonesBefore: zonesOf(before) }
}

export function toCustomer(row: CustomerRow, clock: Clock): Customer {
  const nowMs = clock.nowMs()
  return {
    cuid: row.cuid,
    company: row.company,
    email: row.email,
    name: row.name,
    address: row.address,
    country: row.country,
    city: row.city,
    zip: row.zip,
    state: row.state,
    phone: row.phone,
    website: row.website,
    language: row.language,
    timezone: zoneAt(zonesOf(row), nowMs),
    timezonePending: pendingZone(zonesOf(row), nowMs),
    apiAccess: row.api_access,
    prepaid: row.prepaid,
    frozen: row.frozen_at !== null,
    ceilings: shownCeilings(row.ceilings),
    review: row.review,
    sites: row.sites,
    lowBalance: row.low_balance_micros === null ? null : fromMicros(row.low_balance_micros),
    clickParameters: row.click_parameters,
    externalId: row.external_id,
    metadata: row.metadata,
    created: toSeconds(row.created_at),
  }
}
