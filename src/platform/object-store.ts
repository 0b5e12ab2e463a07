// A place for files that are written once and never changed: a folder, or a bucket that speaks S3. A file is on disk
// when `put` returns, nobody ever reads half of it, and an existing file stays as it is.

import { isAbsolute } from 'node:path'
import { bucketOf } from './store/address.ts'
import { folderStore } from './store/folder.ts'
import { type S3Access, s3Store } from './store/s3.ts'

export interface ObjectStore {
  /** Where it is, in words without a secret. */
  readonly url: string
  /** False if the key is taken: the existing file is not touched. */
  put(key: string, bytes: Buffer): Promise<boolean>
  get(key: string): Promise<Buffer | null>
  has(key: string): Promise<boolean>
  /** All keys that begin with `prefix`, which ends with a slash or is empty, in order. */
  list(prefix: string): Promise<string[]>
  /** Does nothing if the key does not exist. */
  remove(key: string): Promise<void>
}

/** The settings that the tools of Amazon know by the same names. */
export function s3AccessOf(config: {
  AWS_ACCESS_KEY_ID: string | null
  AWS_SECRET_ACCESS_KEY: string | null
  AWS_SESSION_TOKEN: string | null
  AWS_REGION: string
  AWS_ENDPOINT_URL_S3: string | null
}): S3Access {
  return {
    accessKeyId: config.AWS_ACCESS_KEY_ID,
    secretAccessKey: config.AWS_SECRET_ACCESS_KEY,
    sessionToken: config.AWS_SESSION_TOKEN,
    region: config.AWS_REGION,
    endpoint: config.AWS_ENDPOINT_URL_S3,
  }
}

/** `url` as `normalStoreUrl` gives it; `timeoutMs` for each request to a bucket. */
export function openStore(url: string, access: S3Access, timeoutMs?: number): ObjectStore {
  const bucket = bucketOf(url)
  if (bucket) return s3Store({ bucket: bucket.name, prefix: bucket.prefix, access, timeoutMs })
  if (!isAbsolute(url)) throw new Error(`"${url}" is neither a folder nor a bucket`)
  return folderStore(url)
}
