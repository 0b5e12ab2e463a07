// A receiver gets at most four deliveries of a webhook at a time, from all processes together.

import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { newWebhook, type Receiver, startReceiver } from '../../../test/support/webhooks.ts'
import { createLog } from '../../platform/log.ts'
import { createService, type Service } from '../../service/app.ts'

const MOST = 4
const DELIVERIES = 14

let service: TestService
let worker: Service
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  service = await startTestService()
  worker = await createService({
    config: { ...service.config, ROLES: ['worker'] },
    log: createLog('silent'),
    clock: service.clock,
  })
})
afterAll(async () => {
  await worker.stop()
  await service.close()
  await receiver.close()
})

it('never more than four are under way, whichever process sends and however answers come back', async () => {
  const { wid } = await newWebhook(service, { url: receiver.url, events: ['banner.approved'] })
  const open: ServerResponse[] = []
  let most = 0
  receiver.answer = response => {
    open.push(response)
    most = Math.max(most, open.length)
  }
  await service.db.run(
    `insert into webhook_delivery (wid, event_id, type, body, created_at, next_at)
     select $1, 'msg_' || i, 'banner.approved', '{}', $2, $2 from generate_series(1, ${DELIVERIES}) i`,
    [wid, new Date(service.clock.nowMs())],
  )
  service.db.announce('webhooks')
  worker.db.announce('webhooks')
  for (let answered = 0; answered < DELIVERIES; answered++) {
    // One answer at a time, so that three are under way when the sender looks for more.
    await until(async () => (open.length >= Math.min(MOST, DELIVERIES - answered) ? true : null))
    if (answered < 3) await sleep(1500)
    open.shift()!.writeHead(204).end()
  }
  expect(most).toBe(MOST)
  await until(async () => {
    const row = await service.db.row<{ n: number }>(
      `select count(*) as n from webhook_delivery where wid = $1 and state = 'delivered'`,
      [wid],
    )
    return row!.n === DELIVERIES ? true : null
  })
  expect(receiver.received).toHaveLength(DELIVERIES)
})
