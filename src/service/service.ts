// The service as seen by those who start it, and what it needs from them.

import type { Socket } from 'node:net'
import type { Registry } from 'prom-client'
import type { Api } from '../http/api.ts'
import type { MachineClock } from '../kernel/time/clock.ts'
import type { FollowPage } from '../manage/banners/landing/follow.ts'
import type { SiteFiles } from '../manage/sources/site-files.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Ads } from './ads.ts'
import type { FirstCredentials } from './first-start.ts'
import type { ReadyPart } from './operations.ts'

export interface Service {
  api: Api
  /** Every route of the server, as `GET /path`. */
  routes: string[]
  db: Database
  /** The connections that look up callers. */
  door: Database
  delivery: Ads
  /** Only on the very first start. */
  firstCredentials: FirstCredentials | null
  databaseUrl: string
  registry: Registry
  readiness(): Promise<ReadyPart[]>
  /** Starts to listen; returns the URL that reaches it on this machine. */
  listen(where?: { port: number; host: string }): Promise<string>
  /** Takes over a connection that another process accepted. */
  adopt(socket: Socket): void
  /** From now on reports that it is not ready, but still answers, so that others can take over first. */
  startDraining(): void
  /** Finishes work in flight, then closes everything, within seconds. */
  stop(): Promise<void>
}

export interface ServiceOptions {
  config: Config
  log: Log
  /** Kept in line with the database's clock: see platform/steady-clock.ts. */
  clock: MachineClock
  /** The randomness of delivery, in [0, 1); Math.random by default. */
  random?: (() => number) | undefined
  /** Fetches the file by which a site proves its domain; from the web by default. */
  siteFiles?: SiteFiles
  /** Follows the address of a click; over the web by default. */
  followPage?: FollowPage
  /** Checks every answer against its contract. */
  checkAnswers?: boolean
  /** Called when a part died that the service cannot work without. */
  onFatal?: (error: Error) => void
  /** The data is removed at the end, so no commit waits for the disk. */
  isDisposable?: boolean | undefined
  /** Set if this is one of several processes on one port. */
  member?: Member
  /** In a sandbox: stops everything and begins again, with an empty database if `emptied`. */
  reopen?: (how: { emptied: boolean }) => Promise<void>
}

export interface Member {
  /** `1 of 4` */
  place: string
  /** The metrics of all processes. */
  gather(own: Registry): Promise<string>
  /** The state of the other processes. */
  others(): ReadyPart[]
}

/** A service whose parts a sandbox can stop and open again. */
export interface Opened extends Service {
  /** Stops everything except the server: calls under way still get their answers. */
  closeParts(): Promise<void>
  /** Closes connections without a call under way. */
  closeIdle(): void
  closeServer(): Promise<void>
}
