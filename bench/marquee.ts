// The whole service as a contestant, without its rate limits.

import { systemClock } from '../src/kernel/time/clock.ts'
import { readConfig } from '../src/platform/config.ts'
import { createLog } from '../src/platform/log.ts'
import { createService, type Service } from '../src/service/app.ts'
import type { FirstCredentials } from '../src/service/first-start.ts'

/** `more` contains further settings. */
export function benchService(
  databaseUrl: string,
  dataDir: string,
  more: Record<string, string> = {},
  clock = systemClock,
): Promise<Service> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    ROLES: 'api,delivery',
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: '0',
    PUBLIC_URL: 'http://localhost:8080',
    RATE_LIMIT: '1000000',
    RATE_BURST: '1000000',
    LOG_LEVEL: 'info',
    ...more,
  })
  // Writes logs as in operation, but discards them.
  const log = createLog(config.LOG_LEVEL, { write: () => {} })
  return createService({ config, log, clock })
}

/** The service with its port open and its catalog loaded. */
export async function startDelivering(
  databaseUrl: string,
  dataDir: string,
  more: Record<string, string> = {},
  clock = systemClock,
): Promise<{ service: Service; url: string }> {
  const service = await benchService(databaseUrl, dataDir, more, clock)
  const url = await service.listen()
  await service.delivery.started
  return { service, url }
}

/** Creates tables and first credentials in an empty database. */
export async function firstCredentials(databaseUrl: string, dataDir: string): Promise<FirstCredentials> {
  const service = await benchService(databaseUrl, dataDir)
  await service.delivery.started
  await service.stop()
  return service.firstCredentials!
}

/** The same; returns the path to which exchanges send bid requests. */
export async function prepareForBids(databaseUrl: string, dataDir: string): Promise<string> {
  return new URL((await firstCredentials(databaseUrl, dataDir)).bidUrl).pathname
}
