// Checking passcodes does not block threads that others need, and stored hashes reveal nothing.

import { createHook } from 'node:async_hooks'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../test/support/service.ts'
import type { Mail, Mailer } from '../platform/mail.ts'
import { consumePasscode, mailPasscode, newPasscodeRequest } from './passcodes.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** Records uses of the thread pool, which all file operations need too. */
function watchThreadPool() {
  const seen: string[] = []
  const hook = createHook({
    init: (_id, type) => {
      if (/SCRYPT|PBKDF2|HASHREQUEST|DERIVE/.test(type)) seen.push(type)
    },
  }).enable()
  return () => {
    hook.disable()
    return seen
  }
}

async function mailedCode(email: string): Promise<string> {
  const { status } = await service.call('GET', `/customer/${email}/passcode`)
  expect(status).toBe(200)
  const outbox = join(service.config.DATA_DIR, 'outbox')
  for (const name of await readdir(outbox)) {
    const mail = await readFile(join(outbox, name), 'utf8')
    if (mail.includes(email)) return /Your passcode is: (\d{6})/.exec(mail)![1]!
  }
  throw new Error(`no mail for ${email}`)
}

it('checking twenty wrong passcodes and a right one at once blocks no thread that others need', async () => {
  const { email } = await service.newCustomer({ email: 'guessed@a.example' })
  const stop = watchThreadPool()
  const code = await mailedCode(email)
  const wrong = code === '000000' ? '000001' : '000000'
  const auth = (passcode: string) => service.call('GET', `/customer/${email}/auth?passcode=${passcode}`)
  const answers = await Promise.all(Array.from({ length: 20 }, () => auth(wrong)))
  expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([401]))
  // Only five attempts are allowed, however many arrive at once.
  expect((await auth(code)).status).toBe(401)
  const other = await service.newCustomer({ email: 'right@a.example' })
  const right = await mailedCode(other.email)
  expect((await service.call('GET', `/customer/${other.email}/auth?passcode=${right}`)).status).toBe(200)
  expect(stop()).toEqual([])
})

it('the stored hash of a passcode reveals nothing without the secret of the deployment', async () => {
  const { email, cuid } = await service.newCustomer({ email: 'kept@a.example' })
  const code = await mailedCode(email)
  await service.db.run("update secret set value = decode(repeat('00', 32), 'hex') where name = 'passcode'")
  const refused = await service.call('GET', `/customer/${email}/auth?passcode=${code}`)
  expect(refused.status).toBe(401)
  const row = await service.db.row<{ code_hash: Buffer }>('select code_hash from passcode where cuid = $1', [
    cuid,
  ])
  expect(row!.code_hash).toHaveLength(32)
})

it('a code that the console mails is good as soon as anybody can read the mail', async () => {
  const { db, clock, config } = service
  const { email, cuid } = await service.newCustomer({ email: 'fast@a.example' })
  const channel = { by: 'console', request: newPasscodeRequest(), asker: { address: '192.0.2.1' } } as const
  let isUsed = false
  const mail = {
    send: async ({ subject }: Mail) => {
      await consumePasscode(db, cuid, channel, subject.slice(0, 6), clock)
      isUsed = true
    },
  } as Mailer
  const { PUBLIC_URL: publicUrl, PASSCODE_LIMIT: passcodeLimit } = config
  const parts = { db, clock, mail, publicUrl, passcodeLimit }
  const { app_id: appId } = (await db.row<{ app_id: number }>('select app_id from customer where cuid = $1', [
    cuid,
  ]))!
  await mailPasscode(parts, { appId, ownerId: cuid, email, language: null }, channel)
  expect(isUsed).toBe(true)
})
