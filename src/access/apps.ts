// Apps: what the operator registers, each with super pairs, provisioning flags and a platform to sign customers in to.

import type { Clock } from '../kernel/clock.ts'
import { notFound, Problem } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import { issueSuperPair } from './credentials.ts'
import type { Pair } from './pair.ts'
import {
  type AppRow,
  endSuperPairs,
  insertApp,
  selectApp,
  selectAppByName,
  selectApps,
  updateApp,
} from './queries.ts'

export interface App {
  appId: number
  name: string
  platformUrl: string | null
  passcode: boolean
  nopasscode: boolean
  created: Date
  revoked: Date | null
}

export interface NewApp {
  name: string
  platformUrl?: string | null
  passcode?: boolean
  nopasscode?: boolean
}

export async function createApp(db: Db, app: NewApp, clock: Clock): Promise<{ app: App; pair: Pair }> {
  const row = await insertApp(db, {
    name: app.name,
    platform_url: app.platformUrl ?? null,
    may_passcode: app.passcode ?? false,
    may_nopasscode: app.nopasscode ?? false,
    created_at: new Date(clock.nowMs()),
  })
  if (!row) throw new Problem('conflict', `there is an app named "${app.name}" already`)
  return { app: toApp(row), pair: await issueSuperPair(db, row.app_id, 0, clock) }
}

export async function listApps(db: Db): Promise<App[]> {
  return (await selectApps(db)).map(toApp)
}

export async function readApp(db: Db, appId: number): Promise<App> {
  const row = await selectApp(db, appId)
  if (!row) throw notFound(`app ${appId}`)
  return toApp(row)
}

/** A new super pair; the earlier ones end after `graceSeconds`. */
export async function rotateApp(db: Db, name: string, graceSeconds: number, clock: Clock): Promise<Pair> {
  const row = await appByName(db, name)
  if (row.revoked_at) throw new Problem('conflict', `the app "${name}" is revoked`)
  return issueSuperPair(db, row.app_id, graceSeconds, clock)
}

export interface Provisioning {
  passcode?: boolean
  nopasscode?: boolean
  platformUrl?: string | null
}

export async function provisionApp(db: Db, name: string, change: Provisioning): Promise<App> {
  const row = await appByName(db, name)
  const changed = {
    ...row,
    may_passcode: change.passcode ?? row.may_passcode,
    may_nopasscode: change.nopasscode ?? row.may_nopasscode,
    platform_url: change.platformUrl === undefined ? row.platform_url : change.platformUrl,
  }
  await updateApp(db, changed)
  return toApp(changed)
}

/** Ends an app: its pairs and those of its customers stop working (within the 5 s of the cache). */
export async function revokeApp(db: Db, name: string, clock: Clock): Promise<App> {
  const now = new Date(clock.nowMs())
  const row = await appByName(db, name)
  const changed = { ...row, revoked_at: row.revoked_at ?? now }
  await updateApp(db, changed)
  await endSuperPairs(db, row.app_id, null, now)
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
    created: row.created_at,
    revoked: row.revoked_at,
  }
}
