// Turns API fields into the columns of a campaign: defaults, set semantics, and rules across fields.

import { type FieldError, fieldError } from '../../kernel/errors/field-error.ts'
import { invalidInput } from '../../kernel/errors/problem.ts'
import { toMicros } from '../../kernel/money.ts'
import type { StoredSites } from '../../kernel/sites.ts'
import { type Clock, fromSeconds, nowSeconds, toSeconds } from '../../kernel/time/clock.ts'
import { type HoursOfDays, WEEKDAYS, type Week, weekOf } from '../../kernel/time/hours.ts'
import { isIabCode } from '../reference/iab.ts'
import type { Sites } from '../site-lists/contract.ts'
import { siteFaults, sitesOf } from '../site-lists/entries.ts'
import type { CampaignEdit, NewCampaign } from './contract.ts'
import type { CampaignFields } from './queries.ts'

interface FieldParts {
  clock: Clock
  defaultCpmMicros: number
}

export function newFields(body: NewCampaign, { clock, defaultCpmMicros }: FieldParts): CampaignFields {
  const fields: CampaignFields = {
    name: body.name,
    start_at: fromSeconds(body.start),
    end_at: fromSeconds(body.end),
    enabled: body.enabled ?? true,
    freq: body.frequency ?? body.freq ?? 0,
    daily_spend_micros: micros(body.dailySpend),
    monthly_spend_micros: body.monthlySpend == null ? null : micros(body.monthlySpend),
    total_spend_micros: body.totalSpend == null ? null : micros(body.totalSpend),
    cpm_micros: body.cpm == null ? defaultCpmMicros : micros(body.cpm),
    cpc_micros: body.pricing === 'cpc' && body.cpc != null ? micros(body.cpc) : null,
    category: [...new Set(body.category)],
    pacing: body.pacing ?? 'even',
    hours: body.hours ? weekOf(body.hours) : null,
    click_parameters: body.clickParameters ?? null,
    sites: sitesOf(body.sites),
    external_id: body.externalId ?? null,
    metadata: body.metadata ?? {},
  }
  const now = nowSeconds(clock)
  refuse([
    ...frequencyFaults(body),
    ...pricingFaults(body.pricing ?? 'cpm', body.cpc),
    ...categoryFaults(body.category),
    ...hoursFaults(body.hours),
    ...siteFaults(body.sites),
    ...dateFaults(fields, body),
    ...(body.end <= now ? [fieldError('/end', 'not_in_the_future', { now })] : []),
  ])
  return fields
}

/** Set semantics: fields not supplied stay; null resets an optional field to its default. */
export function editedFields(
  current: CampaignFields,
  edit: CampaignEdit,
  { defaultCpmMicros }: Pick<FieldParts, 'defaultCpmMicros'>,
): CampaignFields {
  const orZero = (value: number | null | undefined) => (value === null ? 0 : value)
  const frequency = { frequency: orZero(edit.frequency), freq: orZero(edit.freq) }
  const isByClick = edit.pricing === undefined ? current.cpc_micros !== null : edit.pricing === 'cpc'
  const fields: CampaignFields = {
    name: edit.name ?? current.name,
    start_at: edited(edit.start, fromSeconds, current.start_at, current.start_at),
    end_at: edited(edit.end, fromSeconds, current.end_at, current.end_at),
    enabled: current.enabled,
    freq: editedFrequency(frequency, current.freq),
    daily_spend_micros: edit.dailySpend === undefined ? current.daily_spend_micros : micros(edit.dailySpend),
    monthly_spend_micros: edited<number, number | null>(
      edit.monthlySpend,
      micros,
      null,
      current.monthly_spend_micros,
    ),
    total_spend_micros: edited<number, number | null>(
      edit.totalSpend,
      micros,
      null,
      current.total_spend_micros,
    ),
    cpm_micros: edited(edit.cpm, micros, defaultCpmMicros, current.cpm_micros),
    cpc_micros: isByClick ? edited<number, number | null>(edit.cpc, micros, null, current.cpc_micros) : null,
    category: edited(edit.category, codes => [...new Set(codes)], [], current.category),
    pacing: edited(edit.pacing, pacing => pacing, 'even', current.pacing),
    hours: edited<HoursOfDays, Week | null>(edit.hours, weekOf, null, current.hours),
    click_parameters: edit.clickParameters === undefined ? current.click_parameters : edit.clickParameters,
    sites: edited<Sites, StoredSites | null>(edit.sites, sitesOf, null, current.sites),
    external_id: edit.externalId === undefined ? current.external_id : edit.externalId,
    metadata: edited(edit.metadata, metadata => metadata, {}, current.metadata),
  }
  refuse([
    ...(Object.values(frequency).includes(current.freq) ? [] : frequencyFaults(frequency)),
    ...pricingFaults(isByClick ? 'cpc' : 'cpm', isByClick ? fields.cpc_micros : edit.cpc),
    ...categoryFaults(edit.category),
    ...hoursFaults(edit.hours),
    ...siteFaults(edit.sites),
    ...dateFaults(fields, edit),
  ])
  return fields
}

function refuse(errors: FieldError[]): void {
  if (errors.length > 0) throw invalidInput(errors)
}

function edited<Given, Kept>(
  given: Given | null | undefined,
  read: (given: Given) => Kept,
  cleared: Kept,
  current: Kept,
): Kept {
  if (given === undefined) return current
  return given === null ? cleared : read(given)
}

/** If a client sends an answer back with one of the two names changed, the changed one counts. */
function editedFrequency({ frequency, freq }: Frequency, current: number): number {
  return (frequency === current ? freq : undefined) ?? frequency ?? freq ?? current
}

/** The two names of one field. */
interface Frequency {
  frequency?: number | null | undefined
  freq?: number | null | undefined
}

function frequencyFaults({ frequency, freq }: Frequency): FieldError[] {
  if (frequency == null || freq == null || frequency === freq) return []
  return [fieldError('/freq', 'alias_differs', { field: 'frequency' })]
}

/** `cpc` is set exactly when clicks are paid for. */
function pricingFaults(pricing: 'cpm' | 'cpc', cpc: number | null | undefined): FieldError[] {
  if (pricing === 'cpc') return cpc == null ? [fieldError('/cpc', 'cpc_missing')] : []
  return cpc == null ? [] : [fieldError('/cpc', 'cpc_not_used')]
}

/** Throws an Error, not a 400: the contract has already checked the decimals. */
function micros(units: number): number {
  const amount = toMicros(units)
  if (amount === null) throw new Error(`${units} is not an amount`)
  return amount
}

function categoryFaults(codes: string[] | null | undefined): FieldError[] {
  return (codes ?? []).flatMap((code, index) =>
    isIabCode(code) ? [] : [fieldError(`/category/${index}`, 'unknown_category', { value: code })],
  )
}

/** Throws a 400 that names what is wrong with the hours. */
export function checkHours(hours: HoursOfDays | null | undefined): void {
  const faults = hoursFaults(hours)
  if (faults.length > 0) throw invalidInput(faults)
}

/** Checks for duplicates and an empty week; the contract has checked the days and each hour by itself. */
function hoursFaults(hours: HoursOfDays | null | undefined): FieldError[] {
  if (!hours) return []
  const faults = WEEKDAYS.flatMap(day =>
    (hours[day] ?? []).flatMap((value, index, all) =>
      all.indexOf(value) < index ? [fieldError(`/hours/${day}/${index}`, 'duplicate_entry', { value })] : [],
    ),
  )
  return weekOf(hours).every(bits => bits === 0) ? [fieldError('/hours', 'no_hours')] : faults
}

/**
 * Checks that a campaign or flight lasts at least one second. If both dates were given, the contract has compared them
 * already; otherwise the error is reported on the date that was given.
 */
export function checkDates(run: { start_at: Date; end_at: Date }, given: { end?: number }): void {
  refuse(dateFaults(run, given))
}

function dateFaults(
  { start_at, end_at }: { start_at: Date; end_at: Date },
  given: { end?: number },
): FieldError[] {
  if (start_at < end_at) return []
  return given.end === undefined
    ? [fieldError('/start', 'not_before_end', { end: toSeconds(end_at) })]
    : [fieldError('/end', 'not_after_start', { start: toSeconds(start_at) })]
}
