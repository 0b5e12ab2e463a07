// The verbs of orders: create a campaign with everything beneath it, or copy one. Everything is checked before anything
// is created, and all of it is created in the caller's transaction.

import { setImmediate } from 'node:timers/promises'
import type { Tx } from '../../changes/tx.ts'
import { HEAVY_STEP } from '../../http/list.ts'
import type { FieldError } from '../../kernel/errors/field-error.ts'
import { invalidInput, Problem } from '../../kernel/errors/problem.ts'
import type { Db } from '../../platform/database.ts'
import { checkNewBanner, copyBanners, createBanner } from '../banners/banners.ts'
import type { Banner } from '../banners/contract.ts'
import {
  type CampaignParts,
  checkNewCampaign,
  createCampaign,
  type FoundCampaign,
  findCampaign,
  show,
} from '../campaigns/campaigns.ts'
import type { NewCampaign } from '../campaigns/contract.ts'
import type { Flight, NewFlight } from '../campaigns/flights/contract.ts'
import { createFlight, listFlights } from '../campaigns/flights/flights.ts'
import type { Acting } from '../noun.ts'
import type { Persona } from '../personas/contract.ts'
import { checkNewPersona, copyPersona, createPersona, listPersonas } from '../personas/personas.ts'
import type { CampaignCopy, NewOrder, NewPersonaOrder, Order, PersonaOrder } from './contract.ts'

export interface OrderParts extends CampaignParts {
  /** Called with the number of objects that were just created: for the progress of a job, which keeps none of them. */
  made?: (objects: number) => Promise<void>
  /** The prefix of our own absolute URLs. */
  publicUrl: string
}

/** Who calls, with what the verbs of an order need. */
export type OrderActing = Acting & OrderParts

type Above = { campaign: { cid: number } }

export interface MadeOrder {
  order: Order
  etag: string
}

export interface MadePersona {
  persona: PersonaOrder
  etag: string
}

const PAGE = 1000
const PERSONAS_PAGE = HEAVY_STEP
export const MAX_NAME = 255
const COPY = ' (copy)'

export async function createOrder(
  tx: Tx,
  call: OrderActing,
  _above: unknown,
  order: NewOrder,
): Promise<MadeOrder> {
  const { personas, flights, ...body } = order
  await checkOrder(tx, call, order)
  const made = await createCampaign(tx, call, null, body)
  const flown = flights && (await makeFlights(tx, call, made, flights))
  if (!personas && !flown) return { order: made.campaign, etag: made.etag }
  const shown: PersonaOrder[] = []
  for (const persona of personas ?? []) shown.push((await make(tx, call, made, persona)).persona)
  const whole = await shownWith(tx, call, made, shown)
  return flown ? { ...whole, order: { ...whole.order, flights: flown } } : whole
}

/** Each error has the path of its flight. */
async function makeFlights(
  tx: Tx,
  call: OrderActing,
  above: Above,
  flights: readonly NewFlight[],
): Promise<Flight[]> {
  const made: Flight[] = []
  const errors: FieldError[] = []
  for (const [index, flight] of flights.entries())
    await collect(errors, `/flights/${index}`, async () => {
      made.push((await createFlight(tx, call, above, flight)).flight)
    })
  refuse(errors)
  return made
}

/** Throws what createOrder would throw, and creates nothing. */
export async function checkOrder(
  db: Db,
  call: OrderActing,
  { personas, flights: _flights, ...body }: NewOrder,
): Promise<void> {
  const errors: FieldError[] = []
  await collect(errors, '', () => checkNewCampaign(body, call))
  for (const [index, persona] of (personas ?? []).entries()) {
    await checkPersona(db, call, persona, `/personas/${index}`, errors)
  }
  refuse(errors)
}

/** The same for createPersonaOrder. */
export async function checkPersonaOrder(db: Db, call: OrderActing, body: NewPersonaOrder): Promise<void> {
  const errors: FieldError[] = []
  await checkPersona(db, call, body, '', errors)
  refuse(errors)
}

export async function createPersonaOrder(
  tx: Tx,
  call: OrderActing,
  above: Above,
  body: NewPersonaOrder,
): Promise<MadePersona> {
  await checkPersonaOrder(tx, call, body)
  return make(tx, call, above, body)
}

/** The fields of a copy; throws 400 if it could not be created. */
export function checkedCopy(
  source: FoundCampaign['campaign'],
  { name, start, end, dailySpend, monthlySpend, totalSpend, enabled }: CampaignCopy,
  parts: OrderParts,
): NewCampaign {
  const body = {
    name: name ?? copyNameOf(source.name),
    start: start ?? source.start,
    end: end ?? source.end,
    dailySpend: dailySpend ?? source.dailySpend,
    monthlySpend: monthlySpend === undefined ? source.monthlySpend : monthlySpend,
    totalSpend: totalSpend === undefined ? source.totalSpend : totalSpend,
    enabled: enabled ?? false,
    frequency: source.freq,
    cpm: source.cpm,
    pricing: source.pricing,
    cpc: source.cpc,
    category: source.category,
    pacing: source.pacing,
    hours: source.hours,
    clickParameters: source.clickParameters,
    sites: source.sites,
    metadata: source.metadata,
  }
  checkNewCampaign(body, parts)
  return body
}

/** Copies its flights, personas and banners too. */
export async function copyOrder(
  tx: Tx,
  call: OrderActing,
  { campaign: source }: FoundCampaign,
  copy: CampaignCopy,
): Promise<MadeOrder> {
  const body = checkedCopy(source, copy, call)
  const copied = await createCampaign(tx, call, null, body)
  const { cid } = copied.campaign
  if (body.start === source.start && body.end === source.end) {
    for await (const flight of pages(
      (after, limit) => listFlights(tx, {}, { campaign: source }, { after, limit }),
      f => f.fid,
      PAGE,
    )) {
      if (!flight.default) await createFlight(tx, call, copied, flight)
    }
  }
  const made: PersonaOrder[] = []
  const all = pages(
    (after, limit) => listPersonas(tx, call, { cid: source.cid }, { after, limit }),
    p => p.pid,
    PERSONAS_PAGE,
  )
  for await (const persona of all) {
    const copy = await copyOne(tx, call, { persona }, { cid, name: persona.name, keepsId: true })
    if (!call.made) made.push(copy.persona)
  }
  return shownWith(tx, call, copied, made)
}

export async function copyPersonaOrder(
  tx: Tx,
  call: OrderActing,
  { persona }: { persona: Persona },
  { cid, name }: { cid: number; name: string | undefined },
): Promise<MadePersona> {
  // The target must belong to the same customer; otherwise it does not exist.
  await findCampaign(tx, call, { cid })
  return copyOne(tx, call, { persona }, { cid, name: name ?? copyNameOf(persona.name), keepsId: false })
}

/** `name (copy)`, truncated if it becomes too long. */
export function copyNameOf(name: string): string {
  return [...name].slice(0, MAX_NAME - COPY.length).join('') + COPY
}

async function copyOne(
  tx: Tx,
  call: OrderActing,
  source: { persona: Persona },
  into: { cid: number; name: string; keepsId: boolean },
): Promise<MadePersona> {
  const { made: tell } = call
  const { persona, etag } = await copyPersona(tx, call, source, into)
  const banners: Banner[] = []
  await tell?.(1)
  for await (const page of copyBanners(tx, call, source.persona.pid, persona)) {
    if (tell) await tell(page.length)
    else banners.push(...page)
  }
  return { persona: { ...persona, banners }, etag }
}

async function make(
  tx: Tx,
  call: OrderActing,
  { campaign }: Above,
  { banners, ...body }: NewPersonaOrder,
): Promise<MadePersona> {
  const { made: tell } = call
  const made = await createPersona(tx, call, campaign, body)
  await tell?.(1)
  if (!banners) return made
  const shown: Banner[] = []
  for (const banner of banners) {
    shown.push((await createBanner(tx, call, made, banner)).banner)
    await tell?.(1)
  }
  return { persona: { ...made.persona, banners: shown }, etag: made.etag }
}

/** The campaign as it is after objects were created beneath it. */
async function shownWith(
  db: Db,
  call: OrderActing,
  { campaign: { cid } }: Above,
  personas: PersonaOrder[],
): Promise<MadeOrder> {
  const { campaign, etag } = await show(db, call, await findCampaign(db, call, { cid }))
  return { order: { ...campaign, personas }, etag }
}

async function checkPersona(
  db: Db,
  call: OrderActing,
  { banners, ...body }: NewPersonaOrder,
  path: string,
  errors: FieldError[],
): Promise<void> {
  // Checking a thousand places takes some milliseconds, so others get their turn between two personas.
  await setImmediate()
  await collect(errors, path, () => checkNewPersona(db, call, body))
  for (const [index, banner] of (banners ?? []).entries()) {
    await collect(errors, `${path}/banners/${index}`, () => checkNewBanner(db, call, banner))
  }
}

/** Adds the errors of a check, each with its full path. */
async function collect(errors: FieldError[], path: string, check: () => unknown): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof Problem) || !error.errors) throw error
    errors.push(...error.errors.map(inner => ({ ...inner, path: path + inner.path })))
  }
}

const MAX_ERRORS = 20

function refuse(errors: FieldError[]): void {
  if (errors.length > 0) throw invalidInput(errors.slice(0, MAX_ERRORS))
}

async function* pages<T>(
  fetchPage: (after: number, limit: number) => Promise<T[]>,
  idOf: (item: T) => number,
  limit: number,
): AsyncGenerator<T> {
  let page = await fetchPage(0, limit)
  while (page.length > 0) {
    yield* page
    page = page.length < limit ? [] : await fetchPage(idOf(page.at(-1)!), limit)
  }
}
