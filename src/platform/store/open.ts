// Opens the object store that a setting names: a folder or a bucket.

import { isAbsolute } from 'node:path'
import { bucketOf } from './address.ts'
import { folderStore } from './folder.ts'
import { type S3Access, s3Store } from './s3.ts'
import type { ObjectStore } from './store.ts'

/** The settings have the same names as in Amazon's tools. */
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

/** `url` is the result of `normalStoreUrl`; `timeoutMs` applies to each request to a bucket. */
export function openStore(url: string, access: S3Access, timeoutMs?: number): ObjectStore {
  const bucket = bucketOf(url)
  if (bucket) return s3Store({ bucket: bucket.name, prefix: bucket.prefix, access, timeoutMs })
  if (!isAbsolute(url)) throw new Error(`"${url}" is neither a folder nor a bucket`)
  return folderStore(url)
}
