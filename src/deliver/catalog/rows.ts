// Turns rows into the objects of delivery. Values shared by many personas (places, devices, ages) are kept once.

import type { LiveBanner, LiveCampaign } from '../../budget/live.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import { createHours } from '../../kernel/time/hours.ts'
import { calendarIn, type Zones } from '../../kernel/time/zones.ts'
import { landingUrlOf } from '../../manage/banners/click-url.ts'
import type { Place, Targeting } from '../../manage/personas/matched-form.ts'
import { toTargeting } from '../../manage/personas/matched-form.ts'
import type { CampaignRow, ClickTerms, PersonaRow } from './queries.ts'
import type { SiteLists } from './site-lists.ts'

const MOST_KEPT = 200_000
const kept = new Map<string, unknown>()

function once<T>(key: string, value: T): T {
  const known = kept.get(key)
  if (known !== undefined) return known as T
  if (kept.size >= MOST_KEPT) kept.clear()
  kept.set(key, value)
  return value
}

/** `calendar` is the deployment's, for customers without a zone of their own. */
export function toLiveCampaign(row: CampaignRow, calendar: Calendar, lists: SiteLists): LiveCampaign {
  const zones = zonesOf(row)
  const sites = lists.rulesOf(row.app_id, [row.sites, row.customer_sites])
  return {
    cid: row.cid,
    cuid: row.cuid,
    appId: row.app_id,
    ...(row.company.trim() === '' ? {} : { company: once(`n${row.company}`, row.company) }),
    enabled: row.enabled,
    ...(row.frozen ? { frozen: true } : {}),
    flights: (row.flights ?? []).map(toLiveFlight),
    freq: row.freq,
    dailySpendMicros: row.daily_spend_micros,
    ...(row.monthly_spend_micros === null ? {} : { monthlySpendMicros: row.monthly_spend_micros }),
    ...(row.total_spend_micros === null ? {} : { totalSpendMicros: row.total_spend_micros }),
    ...(row.credited_micros === null ? {} : { creditedMicros: row.credited_micros }),
    cpmMicros: row.cpm_micros,
    ...(row.cpc_micros === null ? {} : { cpcMicros: row.cpc_micros }),
    category: row.category,
    pacing: row.pacing,
    clickNames: row.click_names,
    ...(sites === null ? {} : { sites }),
    hours: row.hours && createHours(row.hours, calendarIn(zones, calendar.zone)),
    zones,
  }
}

function toLiveFlight([fid, startS, endS, totalMicros]: NonNullable<CampaignRow['flights']>[number]) {
  return { fid, startS, endS, ...(totalMicros === null ? {} : { totalSpendMicros: totalMicros }) }
}

function zonesOf({ timezone, timezone_before }: CampaignRow): Zones {
  const before = timezone_before ?? []
  return once(`z${timezone} ${JSON.stringify(before)}`, { timezone, before })
}

/** `appId`: of its customer. */
export function targetingOf(
  row: Pick<PersonaRow, 'geo' | 'cat' | 'device' | 'demo' | 'attributes'>,
  appId: number,
): Targeting {
  const { geo, cat, device, gender, age, attributes } = toTargeting(row, appId)
  return {
    geo: 'places' in geo ? { places: geo.places.map(keptPlace) } : geo,
    cat: once(`c${cat.join()}`, cat),
    device: once(`d${JSON.stringify(device)}`, device),
    gender: gender && once(`g${JSON.stringify(gender)}`, gender),
    age: age && once(`a${JSON.stringify(age)}`, age),
    ...(attributes && { attributes: keptConditions(row.attributes, appId, attributes) }),
  }
}

/** Long lists are hardly ever the same. */
const MOST_SHARED_CHARS = 300

function keptConditions<T>(wanted: PersonaRow['attributes'], appId: number, conditions: T): T {
  const text = JSON.stringify(wanted)
  return text.length > MOST_SHARED_CHARS ? conditions : once(`w${appId} ${text}`, conditions)
}

function keptPlace(place: Place): Place {
  return once(`p${place.country}-${place.region ?? ''}-${place.city ?? ''}`, place)
}

/** An invalid click URL (although it was checked when it was saved) removes its banner, and does no other harm. */
export function bannersOf(row: PersonaRow): LiveBanner[] {
  return row.banners.flatMap(
    ([bid, width, height, type, animated, creativeName, clickUrl, terms, weight]) => {
      const adomain = advertiserOf(clickUrl)
      if (adomain === null) return []
      return [
        {
          bid,
          pid: row.pid,
          width,
          height,
          type: once(`t${type}`, type),
          animated,
          imagePath: `/creative/${creativeName}`,
          clickUrl: terms
            ? finished({ bid, width, height, clickUrl, terms })
            : once(`u${clickUrl}`, clickUrl),
          adomain: once(`h${adomain}`, adomain),
          ...(weight === 1 ? {} : { weight }),
        },
      ]
    },
  )
}

interface Unfinished {
  bid: number
  width: number
  height: number
  clickUrl: string
  terms: ClickTerms
}

/** With parameters, hardly two banners lead to the same address. */
function finished({ clickUrl, terms: [template, name, externalId, above], ...banner }: Unfinished): string {
  const named = { ...banner, name, external_id: externalId, click_url: clickUrl, click_parameters: template }
  return landingUrlOf({ ...named, above }) ?? clickUrl
}

function advertiserOf(clickUrl: string): string | null {
  if (!URL.canParse(clickUrl)) return null
  return new URL(clickUrl).hostname.toLowerCase().replace(/^www\./, '') || null
}
