// From the words of the interface to the columns of a campaign: defaults, set semantics, and the rules across fields.

import { type Clock, fromSeconds, nowSeconds, toSeconds } from '../kernel/clock.ts'
import { toMicros } from '../kernel/money.ts'
import { type FieldError, invalidField, invalidInput } from '../kernel/problem.ts'
import { isIabCode } from '../reference/iab.ts'
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
    freq: oneFrequency(body.frequency ?? undefined, body.freq ?? undefined) ?? 0,
    daily_spend_micros: micros(body.dailySpend),
    cpm_micros: body.cpm == null ? defaultCpmMicros : micros(body.cpm),
    category: categories(body.category ?? []),
    pacing: body.pacing ?? 'even',
    external_id: body.externalId ?? null,
    metadata: body.metadata ?? {},
  }
  checkDates(fields, body)
  if (body.end <= nowSeconds(clock)) throw invalidField('/end', 'must lie in the future')
  return fields
}

/** Set semantics: fields not supplied stay; null resets an optional field to its default. */
export function editedFields(
  current: CampaignFields,
  edit: CampaignEdit,
  { defaultCpmMicros }: Pick<FieldParts, 'defaultCpmMicros'>,
): CampaignFields {
  const orZero = (value: number | null | undefined) => (value === null ? 0 : value)
  const fields: CampaignFields = {
    name: edit.name ?? current.name,
    start_at: edited(edit.start, fromSeconds, current.start_at, current.start_at),
    end_at: edited(edit.end, fromSeconds, current.end_at, current.end_at),
    enabled: current.enabled,
    freq: editedFrequency(orZero(edit.frequency), orZero(edit.freq), current.freq),
    daily_spend_micros: edit.dailySpend === undefined ? current.daily_spend_micros : micros(edit.dailySpend),
    cpm_micros: edited(edit.cpm, micros, defaultCpmMicros, current.cpm_micros),
    category: edited(edit.category, categories, [], current.category),
    pacing: edited(edit.pacing, pacing => pacing, 'even', current.pacing),
    external_id: edit.externalId === undefined ? current.external_id : edit.externalId,
    metadata: edited(edit.metadata, metadata => metadata, {}, current.metadata),
  }
  checkDates(fields, edit)
  return fields
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

/** If a read answer is sent back with one of the two names changed, that one counts. */
function editedFrequency(frequency: number | undefined, freq: number | undefined, current: number): number {
  if (frequency === current && freq !== undefined) return freq
  if (freq === current && frequency !== undefined) return frequency
  return oneFrequency(frequency, freq) ?? current
}

/** The two names of the one field. */
function oneFrequency(frequency: number | undefined, freq: number | undefined): number | undefined {
  if (frequency !== undefined && freq !== undefined && frequency !== freq) {
    throw invalidField(
      '/freq',
      'is another name for frequency: give one of them, or both with the same value',
    )
  }
  return frequency ?? freq
}

/** The contract has checked the decimals. */
function micros(units: number): number {
  const amount = toMicros(units)
  if (amount === null) throw new Error(`${units} is not an amount`)
  return amount
}

/** Each code once, in the order given. */
function categories(codes: string[]): string[] {
  const errors: FieldError[] = []
  for (const [index, code] of codes.entries()) {
    if (isIabCode(code)) continue
    errors.push({
      path: `/category/${index}`,
      message: `"${code}" is not a code of IAB Content Taxonomy 1.0`,
    })
  }
  if (errors.length > 0) throw invalidInput(errors)
  return [...new Set(codes)]
}

/** Of a campaign and of a flight: at least a second long. The field that was supplied is the one that is wrong. */
export function checkDates(
  { start_at, end_at }: { start_at: Date; end_at: Date },
  given: { end?: number },
): void {
  if (start_at < end_at) return
  throw given.end === undefined
    ? invalidField('/start', `must be before end, which is ${toSeconds(end_at)}`)
    : invalidField('/end', `must be after start, which is ${toSeconds(start_at)}`)
}
