// What the service is to those who start it, and what it needs.

import type { Socket } from 'node:net'
import type { Registry } from 'prom-client'
import type { Api } from '../http/api.ts'
import type { ReadyPart } from '../http/operations.ts'
import type { MachineClock } from '../kernel/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { SiteFiles } from '../sources/site-files.ts'
import type { Ads } from './ads.ts'
import type { FirstCredentials } from './first-start.ts'

export interface Service {
  api: Api
  /** Every route of the server, `GET /path`. */
  routes: string[]
  db: Database
  /** Where callers are looked up. */
  door: Database
  delivery: Ads
  /** Only on the very first start. */
  firstCredentials: FirstCredentials | null
  databaseUrl: string
  registry: Registry
  readiness(): Promise<ReadyPart[]>
  /** Starts to listen; the URL to reach it on this machine. */
  listen(where?: { port: number; host: string }): Promise<string>
  /** Takes on a connection that another process has accepted. */
  adopt(socket: Socket): void
  /** Reports from now on that it is not ready, and still answers: others must take over first. */
  startDraining(): void
  /** Finishes work in flight, then closes everything, within seconds. */
  stop(): Promise<void>
}

export interface ServiceOptions {
  config: Config
  log: Log
  /** Held to the database's clock: see platform/steady-clock.ts. */
  clock: MachineClock
  /** In [0, 1): what delivery leaves to chance; Math.random if it is not given. */
  random?: (() => number) | undefined
  /** Fetches what sites show of themselves; by http if it is not given. */
  siteFiles?: SiteFiles
  /** Check every answer against its contract. */
  checkAnswers?: boolean
  /** Called when a part died that the service cannot do without. */
  onFatal?: (error: Error) => void
  /** Its data is removed when it ends: nothing waits for the disk. */
  isDisposable?: boolean | undefined
  /** If this is one of several processes on one port. */
  member?: Member
  /** In a sandbox: lets everything go and begins again; emptied, if that is wanted. */
  beginAgain?: (how: { emptied: boolean }) => Promise<void>
}

export interface Member {
  /** `1 of 4` */
  place: string
  /** The metrics of all of them. */
  gather(own: Registry): Promise<string>
  /** How the others are. */
  others(): ReadyPart[]
}

/** As a sandbox needs it, which can begin again. */
export interface Opened extends Service {
  /** Lets everything go but the server: calls under way still get their answers. */
  letGo(): Promise<void>
  /** Connections without a call under way. */
  closeIdle(): void
  closeServer(): Promise<void>
}
