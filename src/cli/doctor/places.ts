// The doctor's checks of what the service uses besides the database: caps, stores, the reader of images and email.

import { randomUUID } from 'node:crypto'
import type { Config } from '../../platform/config.ts'
import { openStore, s3AccessOf } from '../../platform/store/open.ts'
import { error, type Finding, ok, warning, wordsOf } from './finding.ts'

const TIMEOUT_MS = 5_000
const OLDEST_REDIS = 7

export async function capsFindings({ CAPS_URL }: Config): Promise<Finding[]> {
  if (CAPS_URL === null)
    return [ok('caps', 'CAPS_URL is not set: only one process serves campaigns with a frequency cap.')]
  const { Redis } = await import('ioredis')
  const redis = new Redis(CAPS_URL, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    // A Redis before 7.2 refuses information about its client, and that refusal would keep this process alive until the
    // timeout.
    disableClientInfo: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  let broken: unknown = null
  redis.on('error', failure => {
    broken = failure
  })
  try {
    await redis.connect()
    const probe = `marquee:doctor:${randomUUID()}`
    await redis.set(probe, '1', 'PX', TIMEOUT_MS)
    await redis.del(probe)
    return [capsFinding(await redis.info())]
  } catch (failure) {
    const words = wordsOf(broken ?? failure)
    return [
      error(
        'caps',
        `Cannot use it: ${words}`,
        'Check CAPS_URL, its password, and that the server is running.',
      ),
    ]
  } finally {
    redis.disconnect()
  }
}

function capsFinding(info: string): Finding {
  const of = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
  const version = of('redis_version') ?? 'unknown'
  const policy = of('maxmemory_policy') ?? 'noeviction'
  if (Number.parseInt(version, 10) < OLDEST_REDIS)
    return error('caps', `Version ${version} is too old.`, 'Use Valkey, or Redis 7 or newer.')
  if (policy !== 'noeviction')
    return warning(
      'caps',
      `When its memory is full it evicts keys (${policy}), and with them the frequency counts: capped campaigns pause for a while.`,
      'Set maxmemory-policy noeviction.',
    )
  return ok('caps', `Version ${of('valkey_version') ?? version} is writable.`)
}

/** Writes, reads and removes a small file. */
export async function storeFindings(config: Config): Promise<Finding[]> {
  const places = [
    ['CREATIVES_URL', config.CREATIVES_URL, 'Not set: images are kept in the database.'],
    ['EXPORT_URL', config.EXPORT_URL, 'Not set: events are not exported.'],
  ] as const
  return Promise.all(
    places.map(async ([check, url, without]) => {
      if (url === null) return ok(check, without)
      try {
        const store = openStore(url, s3AccessOf(config), TIMEOUT_MS)
        const key = `doctor-${randomUUID()}`
        const bytes = Buffer.from('written by marquee doctor')
        await store.put(key, bytes)
        const read = await store.get(key)
        await store.remove(key)
        if (!read?.equals(bytes)) throw new Error('what was written cannot be read back')
        return ok(check, `${store.url} is writable and readable.`)
      } catch (failure) {
        return error(
          check,
          `Cannot use it: ${wordsOf(failure)}`,
          'Check the folder and its permissions, or the bucket, its region, and its keys and their permissions.',
        )
      }
    }),
  )
}

/** Reads an image as the service does: in a process of its own. */
export async function imageFindings(): Promise<Finding[]> {
  const { startImages } = await import('../../service/images.ts')
  let words = ''
  const images = startImages(ending => {
    words = ending.words
  })
  try {
    await images.prove()
    return [ok('images', 'A good image can be read.')]
  } catch (failure) {
    return [
      error(
        'images',
        `Images cannot be read, uploads get 503 and reviews wait: ${words || wordsOf(failure)}.`,
        'Allow the service what the reason names: system calls, memory, or processes; compare docs/deploy/marquee.service.',
      ),
    ]
  } finally {
    await images.stop()
  }
}

export async function mailFindings({ SMTP_URL }: Config): Promise<Finding[]> {
  if (SMTP_URL === null)
    return [
      warning(
        'mail',
        'SMTP_URL is not set: passcodes go to the outbox in DATA_DIR and reach no one.',
        'Set SMTP_URL to a mail server, such as smtps://user:password@mail.example.',
      ),
    ]
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    url: SMTP_URL,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    pool: true,
    maxConnections: 1,
  })
  try {
    await transport.verify()
    return [ok('mail', 'The mail server responds and accepts our login.')]
  } catch (failure) {
    return [
      error(
        'mail',
        `Cannot send email: ${wordsOf(failure)}`,
        'Check the host, port, user and password in SMTP_URL, and any firewalls.',
      ),
    ]
  } finally {
    transport.close()
  }
}
