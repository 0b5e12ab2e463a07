// Listens for the database's hint that something has changed, on its own connection, which reconnects by itself. Hints
// may be lost, so listeners must poll, too.

import type pg from 'pg'
import { CATALOG_CHANNEL } from '../../changes/changes.ts'
import { DatabaseClient } from '../../platform/database-client.ts'

const RETRY_MS = 1_000

export function listenForChanges(databaseUrl: string, hint: () => void): () => Promise<void> {
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | null = null
  let stopped = false

  function connect(): void {
    const opened = new DatabaseClient({
      connectionString: databaseUrl,
      application_name: 'marquee catalog',
      keepAlive: true,
    })
    client = opened
    opened.on('notification', hint)
    // A broken connection causes both events; the second one finds another client in place.
    opened.on('error', () => again(opened))
    opened.on('end', () => again(opened))
    opened
      .connect()
      .then(() => opened.query(`listen ${CATALOG_CHANNEL}`))
      // Hints may have been sent while it was disconnected.
      .then(hint)
      .catch(() => again(opened))
  }

  function again(broken: pg.Client): void {
    if (client !== broken || stopped) return
    client = null
    broken.end().catch(() => undefined)
    retry = setTimeout(connect, RETRY_MS)
    retry.unref()
  }

  connect()
  return async () => {
    stopped = true
    if (retry) clearTimeout(retry)
    await client?.end().catch(() => undefined)
  }
}
