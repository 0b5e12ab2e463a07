// Addresses of stores, and keys of the objects in them. Keys are our own, never a stranger's; the check catches our
// mistakes.

import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/
const SEGMENT = /^[\w=.-]+$/

/** The canonical form of `s3://bucket/prefix`, `file:///folder` or a folder; null if the address is not valid. */
export function normalStoreUrl(text: string): string | null {
  if (text.startsWith('s3://')) {
    const bucket = bucketOf(text)
    if (!bucket) return null
    const parts = bucket.prefix.split('/').filter(part => part !== '')
    return parts.every(isPlain) ? ['s3:/', bucket.name, ...parts].join('/') : null
  }
  if (text.startsWith('file://')) return folderOf(text)
  // `s3:/…`, `https:…`: a mistyped address is no folder, and may contain a password.
  return /^[a-z][a-z0-9+.-]+:/i.test(text) ? null : resolve(text)
}

export function bucketOf(url: string): { name: string; prefix: string } | null {
  const match = BUCKET.exec(url)
  return match && { name: match[1]!, prefix: match[2] ?? '' }
}

export function checkedKey(key: string): string {
  if (!key.split('/').every(isPlain)) throw new Error(`"${key}" is not a valid object key`)
  return key
}

function folderOf(text: string): string | null {
  try {
    return fileURLToPath(text)
  } catch {
    return null
  }
}

function isPlain(segment: string): boolean {
  return SEGMENT.test(segment) && !segment.startsWith('.')
}
