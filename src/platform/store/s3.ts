// An object store in a bucket that speaks S3: Amazon's, or a compatible one at AWS_ENDPOINT_URL_S3. Amazon's own client
// is loaded with the first call, so that a service without a bucket does not carry it. Each call has a time limit.
// Nothing is retried here; the caller retries.

import type { S3, S3ServiceException } from '@aws-sdk/client-s3'
import { checkedKey } from './address.ts'
import type { ObjectStore } from './store.ts'

export interface S3Access {
  /** Null, as the secret: the credentials are those of the role that this machine or container has. */
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

type Ask<Answer> = (client: S3, options: { abortSignal: AbortSignal }) => Promise<Answer>

const TIMEOUT_MS = 30_000
/** Even a slow line is this fast. */
const BYTES_PER_MS = 100
const MISSING = 404
const EXISTS = 412
const NOT_IMPLEMENTED = 501

export function s3Store({ bucket, prefix, access, timeoutMs = TIMEOUT_MS }: S3Options): ObjectStore {
  const url = ['s3:/', bucket, prefix].filter(part => part !== '').join('/')
  const within = prefix === '' ? '' : `${prefix}/`
  const objectAt = (key: string) => ({ Bucket: bucket, Key: within + checkedKey(key) })
  let opening: Promise<S3> | null = null

  async function call<Answer>(ask: Ask<Answer>, bytes = 0): Promise<Answer> {
    opening ??= openClient(access)
    const client = await opening
    const abortSignal = AbortSignal.timeout(timeoutMs + Math.ceil(bytes / BYTES_PER_MS))
    return ask(client, { abortSignal }).catch(error => {
      throw new S3Failure(url, error)
    })
  }

  const has = (key: string) =>
    call((s3, options) => s3.headObject(objectAt(key), options)).then(() => true, on(MISSING, false))

  return {
    url,
    has,
    async put(key, bytes) {
      const object = { ...objectAt(key), Body: bytes }
      const write = (condition: { IfNoneMatch?: string }) =>
        call((s3, options) => s3.putObject({ ...object, ...condition }, options), bytes.length).then(
          () => true,
        )
      // The condition makes it atomic if the bucket supports conditions. The check before it covers buckets that ignore
      // or refuse them.
      if (await has(key)) return false
      const isOurs = write({ IfNoneMatch: '*' }).catch(on(EXISTS, false))
      return (await isOurs.catch(on(NOT_IMPLEMENTED, null))) ?? write({})
    },
    get: key =>
      call(async (s3, options) => {
        const { Body } = await s3.getObject(objectAt(key), options)
        return Buffer.from(await Body!.transformToByteArray())
      }).catch(on(MISSING, null)),
    async list(start) {
      const keys: string[] = []
      const about = { Bucket: bucket, Prefix: within + start }
      for (let isPart: boolean | undefined = true; isPart; ) {
        const page = await call((s3, options) =>
          s3.listObjectsV2({ ...about, StartAfter: keys.at(-1) }, options),
        )
        for (const { Key } of page.Contents ?? []) keys.push(Key!)
        isPart = page.IsTruncated
      }
      return keys.map(key => key.slice(within.length)).sort()
    },
    remove: key =>
      call((s3, options) => s3.deleteObject(objectAt(key), options)).then(
        () => undefined,
        on(MISSING, undefined),
      ),
  }
}

/** What a bucket answered instead of doing as it was asked, or why there is no answer. */
class S3Failure extends Error {
  readonly status: number | undefined

  constructor(url: string, cause: Partial<S3ServiceException> & { code?: string }) {
    const status = cause.$metadata?.httpStatusCode
    const why = status
      ? `answered ${status} ${cause.name}`
      : cause.name === 'CredentialsProviderError'
        ? 'cannot be used: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role'
        : `does not answer: ${cause.code ?? cause.message}`
    super(`${url} ${why}`, { cause })
    this.status = status
  }
}

/** An answer of this status means `meaning`; any other failure stays one. */
function on<Meaning>(status: number, meaning: Meaning): (failure: unknown) => Meaning {
  return failure => {
    if (failure instanceof S3Failure && failure.status === status) return meaning
    throw failure
  }
}

async function openClient({
  accessKeyId,
  secretAccessKey,
  sessionToken,
  region,
  endpoint,
}: S3Access): Promise<S3> {
  // It would write a text of its own about Node 20; the service and the doctor say it (node-version.ts).
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'
  const { S3 } = await import('@aws-sdk/client-s3')
  return new S3({
    region,
    maxAttempts: 1,
    // Buckets of others do not know the checksums that Amazon's client would add.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    ...(accessKeyId && secretAccessKey
      ? { credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) } }
      : {}),
  })
}
