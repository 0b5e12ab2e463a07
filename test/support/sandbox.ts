// A sandbox that listens, and whose clock tests move by calls.

import { freePort } from './ports.ts'
import { startTestService, type TestAnswer, type TestService } from './service.ts'

export interface TestSandbox {
  service: TestService
  /** The URL on which it listens. */
  base: string
  /** Moves the clock and waits for the end of the move, however long the machine takes. */
  move(body: object): Promise<TestAnswer>
  /** The sandbox's time, in Unix seconds. */
  now(): Promise<number>
}

/** `start`: the day on which its clock begins. */
export async function startTestSandbox(start: string): Promise<TestSandbox> {
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const service = await startTestService({
    SANDBOX: 'true',
    SANDBOX_START: start,
    PUBLIC_URL: base,
    PORT: String(port),
  })
  await service.listen({ port, host: '127.0.0.1' })
  return {
    service,
    base,
    async move(body) {
      let answer = await service.call('POST', '/sandbox/clock', { body })
      if (answer.status === 202)
        do {
          await new Promise(resolve => setTimeout(resolve, 100))
          answer = await service.call('GET', '/sandbox/clock')
        } while (answer.body.target !== null)
      return answer
    },
    now: async () => (await service.call('GET', '/sandbox/clock')).body.now,
  }
}
