// The main one of several processes: the whole service, the port, and the children that deliver and manage on the same
// database and folder. Work that only one process may do (jobs, the embedded database) stays here.

import { systemClock } from '../../kernel/time/clock.ts'
import type { Config } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import { createService, type Service } from '../app.ts'
import { createFamily, type Family } from './family.ts'
import { createFront } from './front.ts'

export interface MainOptions {
  config: Config
  log: Log
  onFatal: (error: Error) => void
}

export type MainProcess = Pick<Service, 'firstCredentials' | 'listen' | 'startDraining' | 'stop'>

export async function startMainProcess({ config, log, onFatal }: MainOptions): Promise<MainProcess> {
  let family: Family | null = null
  const service = await createService({
    config,
    log,
    clock: systemClock,
    onFatal,
    member: {
      place: `1 of ${config.PROCESSES}`,
      gather: own => family?.gather(own) ?? own.metrics(),
      others: () => family?.parts() ?? [],
    },
  })
  const children = createFamily({
    processes: config.PROCESSES,
    env: envOfChild(config, service.databaseUrl),
    registry: service.registry,
    log,
  })
  family = children
  const front = createFront({ port: config.PORT, host: config.HOST, place: children.place })

  return {
    firstCredentials: service.firstCredentials,
    async listen() {
      // A private port that nobody needs to know, because a server that does not listen considers itself closed.
      await service.listen({ port: 0, host: '127.0.0.1' })
      children.start(service)
      return front.listen()
    },
    startDraining() {
      service.startDraining()
      children.startDraining()
    },
    async stop() {
      front.close()
      await children.stop()
      await service.stop()
    },
  }
}

/** The settings of the main process, except for those that are only its own. */
function envOfChild(config: Config, databaseUrl: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    // A child reads the file itself, so one that is started later gets the password of that time.
    ...(process.env.DATABASE_URL_FILE ? {} : { DATABASE_URL: databaseUrl }),
    DATA_DIR: config.DATA_DIR,
    PUBLIC_URL: config.PUBLIC_URL,
    ROLES: config.ROLES.filter(role => role !== 'worker').join(','),
    PROCESSES: '1',
    PORT: '0',
    HOST: '127.0.0.1',
    // The main process has drained before it tells a child to stop.
    DRAIN: '0s',
  }
}
