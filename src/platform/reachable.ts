// Whether the configured database can be used at all, explained in words that an operator can act on.

import { DatabaseClient } from './database-client.ts'
import { reasonOf } from './trouble.ts'

const TIMEOUT_MS = 10_000
/** The driver's message for a timeout. */
const IS_TIMEOUT = /^timeout expired$/
const TO_CHECK = `Check the host, port, name, user and password in DATABASE_URL, and that PostgreSQL is running and \
accepts this machine`

export async function mustBeReachable(url: string): Promise<void> {
  const client = new DatabaseClient({
    connectionString: url,
    application_name: 'marquee',
    connectionTimeoutMillis: TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw new Error(`cannot use the database: ${whyOf(error as Error)}. ${TO_CHECK}`, { cause: error })
  } finally {
    void client.end().catch(() => undefined)
  }
}

function whyOf(error: Error): string {
  if (IS_TIMEOUT.test(error.message)) return `it did not answer within ${TIMEOUT_MS} ms`
  return reasonOf(error) ?? error.message
}
