// Where a creative comes from: an http(s) URL, or the path of an upload by the same customer. Another customer's upload
// looks exactly like one that does not exist.

import { isHttpUrl, pathOf } from '../../kernel/address.ts'
import { invalidField } from '../../kernel/errors/problem.ts'
import type { Db } from '../../platform/database.ts'
import { lockUploadShared } from './image-queries.ts'

export const UPLOAD_PATH = '/creative/'
export const MAX_NAME_LENGTH = 255

interface NamedSource {
  creativeURL?: string
  creativeUrl?: string | null
}

/** The value under either name; undefined if the body has neither. */
export function givenSource({ creativeURL, creativeUrl }: NamedSource): string | undefined {
  if (creativeURL !== undefined && typeof creativeUrl === 'string' && creativeURL !== creativeUrl) {
    throw invalidField('/creativeUrl', 'alias_differs', { field: 'creativeURL' })
  }
  return creativeURL ?? creativeUrl ?? undefined
}

/** The source in the form in which it is stored; throws a 400 for anything that cannot be one. */
export async function readSource(db: Db, cuid: number, text: string, publicUrl: string): Promise<string> {
  const uploaded = uploadedName(text, publicUrl)
  if (uploaded !== null) {
    if (await lockUploadShared(db, cuid, uploaded)) return UPLOAD_PATH + uploaded
    throw invalidField('/creativeURL', 'unknown_upload')
  }
  if (isHttpUrl(text)) return text
  throw invalidField('/creativeURL', 'not_an_image_address')
}

/** The file name of an upload, given its path or our own absolute URL; null for any other address. */
export function uploadedName(text: string, publicUrl: string): string | null {
  if (text.startsWith(UPLOAD_PATH)) return text.slice(UPLOAD_PATH.length)
  if (!isHttpUrl(text)) return null
  // Parses the URL, so that upper case or a default port does not make it look like another host's.
  const { href } = new URL(text)
  const ours = new URL(publicUrl).origin + pathOf(publicUrl) + UPLOAD_PATH
  return href.startsWith(ours) ? href.slice(ours.length) : null
}

/** The default name of a banner: that of its file, without characters that a database or a page cannot contain. */
export function defaultName(source: string): string {
  if (source.startsWith(UPLOAD_PATH)) return 'Uploaded image'
  const { pathname, hostname } = new URL(source)
  const file = decoded(pathname.split('/').findLast(part => part !== '') ?? '')
  const name = [...file.replaceAll(/\p{C}/gu, '').trim()].slice(0, MAX_NAME_LENGTH).join('').trim()
  return name || hostname.slice(0, MAX_NAME_LENGTH)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
