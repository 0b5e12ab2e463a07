// Two processes on one database that send to one inbox: for emails that must be sent once, by either process.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../../src/platform/log.ts'
import { createService, type Service } from '../../src/service/app.ts'
import { type Inbox, startInbox } from './inbox.ts'
import { startTestService, type TestService, testClock } from './service.ts'

export interface TwoMailers {
  inbox: Inbox
  service: TestService
  /** Another process on the same database. */
  beside: Service
  /** The messages of both logs. */
  said(): string[]
  close(): Promise<void>
}

export async function startTwoMailers(startMs: number): Promise<TwoMailers> {
  const inbox = await startInbox()
  const service = await startTestService({ SMTP_URL: inbox.url }, testClock(startMs))
  const dataDir = await mkdtemp(join(tmpdir(), 'marquee-beside-'))
  const config = { ...service.config, DATA_DIR: dataDir }
  config.ROLES = ['worker']
  const besideLines: string[] = []
  const log = createLog('info', { write: line => void besideLines.push(line) })
  const beside = await createService({ config, log, clock: service.clock })
  return {
    inbox,
    service,
    beside,
    said: () => [...service.logLines, ...besideLines].map(line => JSON.parse(line).msg),
    async close() {
      await beside.stop()
      await rm(dataDir, { recursive: true })
      await service.close()
      await inbox.close()
    },
  }
}
