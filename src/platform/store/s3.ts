// An object store in a bucket that speaks S3: Amazon's, or a compatible one at AWS_ENDPOINT_URL_S3. Requests are
// signed, including their bodies, and each has a time limit. Nothing is retried here; the caller retries.

import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { checkedKey } from './address.ts'
import type { ObjectStore } from './store.ts'

export interface S3Access {
  accessKeyId: string | null
  secretAccessKey: string | null
  sessionToken: string | null
  region: string
  /** Null for Amazon's own. */
  endpoint: string | null
}

export interface S3Options {
  bucket: string
  prefix: string
  access: S3Access
  timeoutMs?: number | undefined
}

const TIMEOUT_MS = 30_000
/** Even a slow line is this fast. */
const BYTES_PER_MS = 100
const NOT_IMPLEMENTED = 501

export function s3Store({ bucket, prefix, access, timeoutMs = TIMEOUT_MS }: S3Options): ObjectStore {
  const { accessKeyId, secretAccessKey, sessionToken, region, endpoint } = access
  const url = ['s3:/', bucket, prefix].filter(part => part !== '').join('/')
  if (!accessKeyId || !secretAccessKey)
    throw new Error(`${url} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`)
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    service: 's3',
    region,
    retries: 0,
    ...(sessionToken ? { sessionToken } : {}),
  })
  const base = endpoint
    ? `${withoutSlash(endpoint)}/${bucket}`
    : `https://${bucket}.s3.${region}.amazonaws.com`
  const within = prefix === '' ? '' : `${prefix}/`

  async function call(method: string, path: string, accepted: number[], bytes?: Buffer, headers = {}) {
    const signed = await client.sign(base + path, {
      method,
      headers: {
        'x-amz-content-sha256': createHash('sha256')
          .update(bytes ?? '')
          .digest('hex'),
        ...headers,
      },
      ...(bytes ? { body: new Uint8Array(bytes) } : {}),
    })
    // Not part of the signed request: there, the limit would be garbage collected together with it.
    const signal = AbortSignal.timeout(timeoutMs + Math.ceil((bytes?.length ?? 0) / BYTES_PER_MS))
    const answer = await fetch(signed, { signal }).catch(error => {
      throw new Error(`${url} does not answer: ${reasonOf(error)}`, { cause: error })
    })
    if (answer.ok || accepted.includes(answer.status)) return answer
    const code = /<Code>([\w.]{1,80})<\/Code>/.exec(await answer.text())?.[1]
    throw new Error(`${url} answered ${answer.status}${code ? ` ${code}` : ''} to ${method}`)
  }
  const pathOf = (key: string) =>
    `/${(within + checkedKey(key)).split('/').map(encodeURIComponent).join('/')}`

  async function has(key: string): Promise<boolean> {
    return (await call('HEAD', pathOf(key), [404])).ok
  }

  return {
    url,
    has,
    async put(key, bytes) {
      // The condition makes it atomic if the bucket supports conditions. The check before it covers buckets that ignore
      // or refuse them.
      if (await has(key)) return false
      const answer = await call('PUT', pathOf(key), [412, NOT_IMPLEMENTED], bytes, { 'if-none-match': '*' })
      if (answer.status !== NOT_IMPLEMENTED) return answer.ok
      await call('PUT', pathOf(key), [], bytes)
      return true
    },
    async get(key) {
      const answer = await call('GET', pathOf(key), [404])
      return answer.ok ? Buffer.from(await answer.arrayBuffer()) : null
    },
    async list(start) {
      const keys: string[] = []
      let isPart: boolean
      do {
        const after = keys.length === 0 ? '' : `&start-after=${encodeURIComponent(keys.at(-1)!)}`
        const query = `/?list-type=2&prefix=${encodeURIComponent(within + start)}${after}`
        const text = await (await call('GET', query, [])).text()
        for (const [, key] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) keys.push(plain(key!))
        isPart = text.includes('<IsTruncated>true</IsTruncated>')
      } while (isPart)
      return keys.map(key => key.slice(within.length)).sort()
    },
    async remove(key) {
      await call('DELETE', pathOf(key), [404])
    },
  }
}

/** fetch hides the reason in its cause. */
function reasonOf(error: Error): string {
  const cause = error.cause as { code?: string; message?: string } | undefined
  return cause?.code ?? cause?.message ?? error.message
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function plain(xml: string): string {
  return xml.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name) => ENTITIES[name]!)
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? withoutSlash(url.slice(0, -1)) : url
}
