// A sandbox as a service that can begin again. A reset stops all parts of the process, empties the database and creates
// them again, so nothing survives in memory. Connections are accepted here and passed to the current parts.

import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { refusal } from '../kernel/errors/problem.ts'
import { openDatabase } from '../platform/database.ts'
import { openStore, s3AccessOf } from '../platform/store/open.ts'
import { createTrouble } from '../platform/trouble.ts'
import { removeExported } from '../report/export/remove.ts'
import { emptySandbox } from '../sandbox/open.ts'
import { databaseOf } from './database.ts'
import { createFront, type Front } from './processes/front.ts'
import type { Opened, Service, ServiceOptions } from './service.ts'

/** A private port that nobody needs to know, because a server that does not listen considers itself closed. */
const DOOR = { port: 0, host: '127.0.0.1' }
const RETRY_MS = 1_000
const SEEN_MS = 50

export async function createReopening(
  options: ServiceOptions,
  open: (options: ServiceOptions) => Promise<Opened>,
): Promise<Service> {
  const { log } = options
  const database = await databaseOf(options)
  const config = { ...options.config, DATABASE_URL: database.url }
  const trouble = createTrouble(log, {
    text: 'the sandbox cannot begin again; retrying',
    again: 'the sandbox can begin again',
  })
  /** Connections that arrived while no parts were there to answer. */
  const waiting: Socket[] = []
  let beginning: Promise<void> | null = null
  let front: Front | null = null
  let isStopped = false
  let current = await openOnce().catch(async error => {
    await database.stop()
    throw error
  })
  const { firstCredentials } = current

  function openOnce(): Promise<Opened> {
    return open({ ...options, config, reopen })
  }

  function reopen({ emptied }: { emptied: boolean }): Promise<void> {
    beginning ??= begin(emptied).finally(() => {
      beginning = null
      for (const socket of waiting.splice(0)) current.adopt(socket)
    })
    return beginning
  }

  async function begin(emptied: boolean): Promise<void> {
    const before = current
    await before.closeParts()
    // If this fails, the sandbox continues as it was.
    const emptying = emptied ? empty() : Promise.resolve()
    await emptying.catch(() => undefined)
    await openUntilDone()
    if (front && !isStopped) await current.listen(DOOR)
    // Callers learn that their connections are closed before the answer tells them to continue.
    before.closeIdle()
    await sleep(SEEN_MS)
    // The call that asked for the reset is answered first.
    before.closeServer().catch(() => undefined)
    await emptying
  }

  async function empty(): Promise<void> {
    if (config.EXPORT_URL) {
      const db = openDatabase({ url: database.url, maxConnections: 1, onError: () => {} })
      const store = openStore(config.EXPORT_URL, s3AccessOf(config))
      await removeExported(db, store)
        .catch(error => {
          log.error({ err: error }, 'exported hours cannot be removed: the sandbox goes on as it was')
          throw refusal('files_unavailable', {}, { headers: { 'retry-after': '1' } })
        })
        .finally(() => db.close())
    }
    await emptySandbox(database.url)
  }

  async function openUntilDone(): Promise<void> {
    while (!isStopped) {
      try {
        current = await openOnce()
        trouble.over()
        return
      } catch (error) {
        trouble.is(error)
        await sleep(RETRY_MS)
      }
    }
  }

  return {
    get api() {
      return current.api
    },
    get routes() {
      return current.routes
    },
    get db() {
      return current.db
    },
    get door() {
      return current.door
    },
    get delivery() {
      return current.delivery
    },
    get registry() {
      return current.registry
    },
    firstCredentials,
    databaseUrl: database.url,
    readiness: () => current.readiness(),
    async listen({ port, host } = { port: config.PORT, host: config.HOST }) {
      front = createFront({ port, host, place })
      await current.listen(DOOR)
      return front.listen()
    },
    adopt: place,
    startDraining: () => current.startDraining(),
    async stop() {
      isStopped = true
      front?.close()
      await beginning
      await current.stop()
      await database.stop()
    },
  }

  function place(socket: Socket): void {
    if (beginning) waiting.push(socket)
    else current.adopt(socket)
  }
}
