// The verbs of orders: create a campaign with everything beneath it, or copy one. Everything is checked before anything
// is created, and all of it is created in the caller's transaction.

import { setImmediate } from 'node:timers/promises'
import type { Tx } from '../../changes/tx.ts'
import { etagOf } from '../../http/etag.ts'
import { HEAVY_STEP } from '../../http/list.ts'
import type { Caller } from '../../kernel/caller.ts'
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
import type { Persona } from '../personas/contract.ts'
import {
  checkNewPersona,
  copyPersona,
  createPersona,
  type FoundPersona,
  listPersonas,
} from '../personas/personas.ts'
import type { CampaignCopy, NewOrder, NewPersonaOrder, Order, PersonaOrder } from './contract.ts'

export interface OrderParts extends CampaignParts {
  /** Called with the number of objects that were just created: for the progress of a job, which keeps none of them. */
  made?: (objects: number) => Promise<void>
  /** The prefix of our own absolute URLs. */
  publicUrl: string
}

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
const MAX_NAME = 255
const COPY = ' (copy)'

export async function createOrder(
  db: Tx,
  caller: Caller,
  cuid: number,
  order: NewOrder,
  parts: OrderParts,
): Promise<MadeOrder> {
  const { personas, flights, ...body } = order
  await checkOrder(db, cuid, order, parts)
  const { campaign, etag } = await createCampaign(db, caller, cuid, body, parts)
  const flown = flights && (await makeFlights(db, caller, campaign.cid, flights, parts))
  if (!personas && !flown) return { order: campaign, etag }
  const made: PersonaOrder[] = []
  for (const persona of personas ?? [])
    made.push((await make(db, caller, cuid, campaign.cid, persona, parts)).persona)
  const shown = await shownWith(db, cuid, campaign.cid, made, parts)
  return flown ? { ...shown, order: { ...shown.order, flights: flown } } : shown
}

/** Each error has the path of its flight. */
async function makeFlights(
  db: Tx,
  caller: Caller,
  cid: number,
  flights: readonly NewFlight[],
  { clock }: OrderParts,
): Promise<Flight[]> {
  const made: Flight[] = []
  const errors: FieldError[] = []
  for (const [index, flight] of flights.entries())
    await collect(errors, `/flights/${index}`, async () => {
      made.push((await createFlight(db, caller, cid, flight, clock)).flight)
    })
  refuse(errors)
  return made
}

/** Throws what createOrder would throw, and creates nothing. */
export async function checkOrder(
  db: Db,
  cuid: number,
  { personas, flights: _flights, ...body }: NewOrder,
  parts: OrderParts,
): Promise<void> {
  const errors: FieldError[] = []
  await collect(errors, '', () => checkNewCampaign(body, parts))
  for (const [index, persona] of (personas ?? []).entries()) {
    await checkPersona(db, cuid, persona, `/personas/${index}`, errors, parts)
  }
  refuse(errors)
}

/** The same for createPersonaOrder. */
export async function checkPersonaOrder(
  db: Db,
  cuid: number,
  body: NewPersonaOrder,
  parts: OrderParts,
): Promise<void> {
  const errors: FieldError[] = []
  await checkPersona(db, cuid, body, '', errors, parts)
  refuse(errors)
}

export async function createPersonaOrder(
  db: Tx,
  caller: Caller,
  { campaign: { cid, cuid } }: FoundCampaign,
  body: NewPersonaOrder,
  parts: OrderParts,
): Promise<MadePersona> {
  await checkPersonaOrder(db, cuid, body, parts)
  return make(db, caller, cuid, cid, body, parts)
}

/** The fields of a copy; throws 400 if it could not be created. */
export function checkedCopy(
  source: FoundCampaign['campaign'],
  { name, start, end, dailySpend, totalSpend, enabled }: CampaignCopy,
  parts: OrderParts,
): NewCampaign {
  const body = {
    name: name ?? copyNameOf(source.name),
    start: start ?? source.start,
    end: end ?? source.end,
    dailySpend: dailySpend ?? source.dailySpend,
    totalSpend: totalSpend === undefined ? source.totalSpend : totalSpend,
    enabled: enabled ?? false,
    frequency: source.freq,
    cpm: source.cpm,
    pricing: source.pricing,
    cpc: source.cpc,
    category: source.category,
    pacing: source.pacing,
    hours: source.hours,
    metadata: source.metadata,
  }
  checkNewCampaign(body, parts)
  return body
}

/** Copies its flights, personas and banners too. */
export async function copyOrder(
  db: Tx,
  caller: Caller,
  { campaign: source }: FoundCampaign,
  copy: CampaignCopy,
  parts: OrderParts,
): Promise<MadeOrder> {
  const { cuid } = source
  const body = checkedCopy(source, copy, parts)
  const { campaign } = await createCampaign(db, caller, cuid, body, parts)
  if (body.start === source.start && body.end === source.end) {
    for await (const flight of pages(
      (after, limit) => listFlights(db, source.cid, after, limit),
      f => f.fid,
      PAGE,
    )) {
      if (!flight.default) await createFlight(db, caller, campaign.cid, flight, parts.clock)
    }
  }
  const made: PersonaOrder[] = []
  const all = pages(
    (after, limit) => listPersonas(db, cuid, String(source.cid), after, limit),
    p => p.pid,
    PERSONAS_PAGE,
  )
  for await (const persona of all) {
    const into = { cid: campaign.cid, name: persona.name, keepsId: true }
    const copy = await copyOne(db, caller, cuid, persona, into, parts)
    if (!parts.made) made.push(copy.persona)
  }
  return shownWith(db, cuid, campaign.cid, made, parts)
}

export async function copyPersonaOrder(
  db: Tx,
  caller: Caller,
  { persona, cuid }: FoundPersona,
  into: { cid: number; name: string | undefined },
  parts: OrderParts,
): Promise<MadePersona> {
  // The target must belong to the same customer; otherwise it does not exist.
  await findCampaign(db, cuid, String(into.cid))
  return copyOne(
    db,
    caller,
    cuid,
    persona,
    { cid: into.cid, name: into.name ?? copyNameOf(persona.name), keepsId: false },
    parts,
  )
}

/** `name (copy)`, truncated if it becomes too long. */
export function copyNameOf(name: string): string {
  return [...name].slice(0, MAX_NAME - COPY.length).join('') + COPY
}

async function copyOne(
  db: Tx,
  caller: Caller,
  cuid: number,
  source: Persona,
  into: { cid: number; name: string; keepsId: boolean },
  { clock, made: tell }: OrderParts,
): Promise<MadePersona> {
  const from = { persona: source, cuid, etag: etagOf(source.pid, 0) }
  const made = await copyPersona(db, cuid, from, into, { caller, clock })
  const target = { pid: made.persona.pid, cid: into.cid }
  const banners: Banner[] = []
  await tell?.(1)
  for await (const page of copyBanners(db, cuid, source.pid, target, { caller, clock })) {
    if (tell) await tell(page.length)
    else banners.push(...page)
  }
  return { persona: { ...made.persona, banners }, etag: made.etag }
}

async function make(
  db: Tx,
  caller: Caller,
  cuid: number,
  cid: number,
  { banners, ...body }: NewPersonaOrder,
  { clock, publicUrl, made: tell }: OrderParts,
): Promise<MadePersona> {
  const made = await createPersona(db, cuid, cid, body, { caller, clock })
  await tell?.(1)
  if (!banners) return made
  const shown: Banner[] = []
  for (const banner of banners) {
    shown.push((await createBanner(db, made, banner, { caller, clock, publicUrl })).banner)
    await tell?.(1)
  }
  return { persona: { ...made.persona, banners: shown }, etag: made.etag }
}

/** The campaign as it is after objects were created beneath it. */
async function shownWith(
  db: Db,
  cuid: number,
  cid: number,
  personas: PersonaOrder[],
  parts: OrderParts,
): Promise<MadeOrder> {
  const { campaign, etag } = await show(db, await findCampaign(db, cuid, String(cid)), parts)
  return { order: { ...campaign, personas }, etag }
}

async function checkPersona(
  db: Db,
  cuid: number,
  { banners, ...body }: NewPersonaOrder,
  path: string,
  errors: FieldError[],
  parts: OrderParts,
): Promise<void> {
  // Checking a thousand places takes some milliseconds, so others get their turn between two personas.
  await setImmediate()
  await collect(errors, path, () => checkNewPersona(body))
  for (const [index, banner] of (banners ?? []).entries()) {
    await collect(errors, `${path}/banners/${index}`, () => checkNewBanner(db, cuid, banner, parts))
  }
}

/** Adds the errors of a check, each with its full path. */
async function collect(errors: FieldError[], path: string, check: () => void | Promise<void>): Promise<void> {
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
