// Apps, registered by the operator, each with super pairs, provisioning flags and a platform to sign customers in to.

import { createHash } from 'node:crypto'
import { notFound, refusal } from '../kernel/errors/problem.ts'
import type { Clock } from '../kernel/time/clock.ts'
import type { Db } from '../platform/database.ts'
import type { LetterBrand } from '../platform/letter.ts'
import type { Pair } from './pair.ts'
import {
  type AppRow,
  insertApp,
  selectApp,
  selectAppByName,
  selectApps,
  selectLogo,
  updateApp,
  updateBrand,
  updateLogo,
} from './queries.ts'
import { endSuperPairs } from './super-pair-queries.ts'
import { replaceSuperPair } from './super-pairs.ts'

export interface App {
  appId: number
  name: string
  platformUrl: string | null
  passcode: boolean
  nopasscode: boolean
  /** May add, change and revoke sources. */
  sources: boolean
  /** `manual`: a person reviews each banner of its customers, except for customers with a setting of their own. */
  review: 'automatic' | 'manual'
  created: Date
  revoked: Date | null
  brand: Brand
}

/** How the console looks to the customers of an app. */
export interface Brand {
  title: string | null
  /** `#rrggbb` */
  color: string | null
  /** SHA-256 of the image, in hex. */
  logoHash: string | null
}

/** How emails to the customers and the staff of an app look. */
export function letterBrand(brand: Brand, publicUrl: string): LetterBrand {
  return {
    title: brand.title ?? 'Marquee',
    color: brand.color ?? DEFAULT_COLOR,
    logoUrl: brand.logoHash && `${publicUrl}/console/logo/${brand.logoHash}.png`,
  }
}

/** As in the console. */
const DEFAULT_COLOR = '#4c51e0'

export interface NewApp {
  name: string
  platformUrl?: string | null
  passcode?: boolean
  nopasscode?: boolean
  sources?: boolean
  review?: 'automatic' | 'manual'
}

export async function createApp(db: Db, app: NewApp, clock: Clock): Promise<{ app: App; pair: Pair }> {
  const row = await insertApp(db, {
    name: app.name,
    platform_url: app.platformUrl ?? null,
    may_passcode: app.passcode ?? false,
    may_nopasscode: app.nopasscode ?? false,
    may_sources: app.sources ?? false,
    review: app.review ?? 'automatic',
    created_at: new Date(clock.nowMs()),
  })
  if (!row) throw refusal('app_exists', { name: app.name })
  return { app: toApp(row), pair: await replaceSuperPair(db, row.app_id, null, 0, clock) }
}

export async function listApps(db: Db): Promise<App[]> {
  return (await selectApps(db)).map(toApp)
}

export async function readApp(db: Db, appId: number): Promise<App> {
  const row = await selectApp(db, appId)
  if (!row) throw notFound(`app ${appId}`)
  return toApp(row)
}

/** The app of a sign-in page: the named one; by default `default`, or the oldest if that is gone. Null: none. */
export async function appToSignInTo(db: Db, name: string | null): Promise<App | null> {
  const living = (await selectApps(db)).filter(row => row.revoked_at === null)
  const row =
    living.find(item => item.name === (name ?? 'default')) ?? (name === null ? living[0] : undefined)
  return row ? toApp(row) : null
}

/** Replaces the super pairs named `pairName` (null: the first) by a new one; they end after `overlapS` seconds. */
export async function rotateApp(
  db: Db,
  name: string,
  overlapS: number,
  clock: Clock,
  pairName: string | null = null,
): Promise<Pair> {
  return replaceSuperPair(db, await livingAppId(db, name), pairName, overlapS, clock)
}

export async function livingAppId(db: Db, name: string): Promise<number> {
  const row = await appByName(db, name)
  if (row.revoked_at) throw refusal('app_revoked', { name })
  return row.app_id
}

export interface Provisioning {
  passcode?: boolean
  nopasscode?: boolean
  sources?: boolean
  review?: 'automatic' | 'manual'
  platformUrl?: string | null
}

export async function provisionApp(db: Db, name: string, change: Provisioning): Promise<App> {
  const row = await appByName(db, name)
  const changed = {
    ...row,
    may_passcode: change.passcode ?? row.may_passcode,
    may_nopasscode: change.nopasscode ?? row.may_nopasscode,
    may_sources: change.sources ?? row.may_sources,
    review: change.review ?? row.review,
    platform_url: change.platformUrl === undefined ? row.platform_url : change.platformUrl,
  }
  await updateApp(db, changed)
  return toApp(changed)
}

/** Null resets a field to what Marquee comes with. The logo is a PNG. */
export interface BrandChange {
  title?: string | null
  color?: string | null
  logo?: Buffer | null
}

export async function brandApp(db: Db, name: string, change: BrandChange): Promise<App> {
  const row = await appByName(db, name)
  await updateBrand(db, row.app_id, {
    title: change.title === undefined ? row.brand_title : change.title,
    color: change.color === undefined ? row.brand_color : (change.color?.toLowerCase() ?? null),
  })
  if (change.logo !== undefined) {
    const hash = change.logo && createHash('sha256').update(change.logo).digest('hex')
    await updateLogo(db, row.app_id, change.logo, hash)
  }
  return readApp(db, row.app_id)
}

export async function readLogo(db: Db, hash: string): Promise<Buffer | null> {
  return (await selectLogo(db, hash))?.brand_logo ?? null
}

/** Ends an app: its pairs and those of its customers stop working within 1 s, because they are cached. */
export async function revokeApp(db: Db, name: string, clock: Clock): Promise<App> {
  const now = new Date(clock.nowMs())
  const row = await appByName(db, name)
  const changed = { ...row, revoked_at: row.revoked_at ?? now }
  await updateApp(db, changed)
  await endSuperPairs(db, row.app_id, now)
  return toApp(changed)
}

async function appByName(db: Db, name: string): Promise<AppRow> {
  const row = await selectAppByName(db, name)
  if (!row) throw notFound(`an app named "${name}"`)
  return row
}

function toApp(row: AppRow): App {
  return {
    appId: row.app_id,
    name: row.name,
    platformUrl: row.platform_url,
    passcode: row.may_passcode,
    nopasscode: row.may_nopasscode,
    sources: row.may_sources,
    review: row.review,
    created: row.created_at,
    revoked: row.revoked_at,
    brand: { title: row.brand_title, color: row.brand_color, logoHash: row.brand_logo_hash },
  }
}
