// Uploaded images: read from the request completely and within limits, inspected before anything is stored, stored by
// content hash, and recorded as their customer's.

import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { exceeded } from '../../changes/quotas.ts'
import { refuseConnection } from '../../http/lane/refuse-connection.ts'
import { createSlots, slotOwner, type Transfer } from '../../http/slots.ts'
import { cutOffIfSlow, LEAST } from '../../http/slow-readers.ts'
import { type Finding, finding } from '../../kernel/errors/finding.ts'
import { invalidField, invalidInput, type Problem, refusal } from '../../kernel/errors/problem.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import type { ImageType } from '../../platform/images/type.ts'
import { IMAGE_TYPES, MAX_UPLOAD_BYTES, type Upload } from './contract.ts'
import type { Inspect, Inspection } from './creative/inspection.ts'
import { type Creatives, creativeName } from './creative/store.ts'
import { withoutMetadata } from './creative/strip.ts'
import { FORM_BYTES, fileInForm } from './form.ts'
import { readInPieces } from './image-body.ts'
import { lockImageShared, lockUploads, selectKept, upsertUpload } from './image-queries.ts'
import { mediaType } from './review.ts'
import { UPLOAD_PATH } from './source.ts'

export interface UploadParts {
  clock: Clock
  files: Creatives
  /** The total size of one customer's uploads, and how many there may be. */
  quotaBytes: number
  quotaFiles: number
  inspect: Inspect
}

/** A complete image. */
export interface Image {
  bytes: Buffer
  type: ImageType
  width: number
  height: number
}

const images = new WeakMap<Buffer, Image>()

/** Uploads at once, because each is in memory as a whole, even while its sender is slow. */
export const UPLOADS_AT_ONCE = { total: 40, perApp: 24, perCustomer: 4 }

/**
 * Makes `server` read images instead of JSON: the body of a request becomes the bytes of a whole image. The image is
 * checked here, before the handler's transaction, which must not wait for a decoder.
 */
export function readImageBodies(
  server: FastifyInstance,
  inspect: UploadParts['inspect'],
  leastSent = LEAST,
): void {
  const takeUpload = createSlots('uploads', UPLOADS_AT_ONCE)
  // Runs when the caller is known and nothing of the body has been read.
  server.addHook('preParsing', async (request, reply) => {
    const { caller, cuid } = request.call!
    const upload = arriving(request.raw)
    const free = takeUpload(slotOwner(caller!, cuid), upload)
    const { socket } = request.raw
    const stop = cutOffIfSlow(upload.bytes, () => refuseConnection(socket, 'slow'), leastSent)
    reply.raw.once('close', () => {
      stop()
      free()
    })
    // The type is read from the bytes, so nobody must say it.
    request.raw.headers['content-type'] ??= 'application/octet-stream'
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    [...IMAGE_TYPES, 'application/octet-stream'],
    async ({ headers, routeOptions }: FastifyRequest, payload: Readable) =>
      readInPieces(payload, headers['content-length'], routeOptions.bodyLimit),
  )
  server.addContentTypeParser('multipart/form-data', async ({ headers }: FastifyRequest, payload: Readable) =>
    imageIn(
      await readInPieces(payload, headers['content-length'], MAX_UPLOAD_BYTES + FORM_BYTES),
      headers['content-type']!,
    ),
  )
  server.addContentTypeParser('*', async () => {
    throw refusal('unsupported_media_type', {
      allowed: [...IMAGE_TYPES, 'application/octet-stream', 'multipart/form-data'],
    })
  })
  server.addHook('preHandler', async request => {
    const image = await wholeImage(request.body, found => inspect(found, request.call!.cuid!))
    images.set(image.bytes, image)
    request.body = image.bytes
  })
}

/** Its bytes so far; once all have come, it is no longer slow. */
function arriving(request: IncomingMessage): Transfer {
  const { socket } = request
  const before = socket.bytesRead
  return {
    bytes: () => (request.complete ? Number.POSITIVE_INFINITY : socket.bytesRead - before),
    end: () => refuseConnection(socket, 'crowded'),
  }
}

export async function keepUpload(
  db: Db,
  cuid: number,
  body: unknown,
  { clock, files, quotaBytes, quotaFiles }: UploadParts,
): Promise<Upload> {
  const { bytes, type, width, height } = images.get(body as Buffer)!
  const name = creativeName(bytes, type)
  await lockUploads(db, cuid)
  await lockImageShared(db, name)
  await upsertUpload(db, cuid, name, bytes.length, new Date(clock.nowMs()))
  const kept = await selectKept(db, cuid)
  if (kept.bytes > quotaBytes) throw overQuota(quotaBytes)
  if (kept.files > quotaFiles)
    throw exceeded('uploaded images', 'this customer', kept.files, quotaFiles, 'UPLOAD_FILES')
  await files.put(db, bytes, type)
  return { creativeURL: UPLOAD_PATH + name, width, height, bytes: bytes.length, type: mediaType(type) }
}

async function wholeImage(body: unknown, inspect: (bytes: Buffer) => Promise<Inspection>): Promise<Image> {
  if (!Buffer.isBuffer(body)) {
    throw refusal('no_image')
  }
  const { type, width, height, orientation, faults } = await inspect(body)
  if (faults.length > 0) throw invalidImage(faults)
  if (!type || !width || !height) throw invalidImage([finding('image_kind', { kind: 'unknown' })])
  return { bytes: withoutMetadata(body, type, orientation), type, width, height }
}

function overQuota(quotaBytes: number): Problem {
  const megabytes = Math.floor(quotaBytes / 1_000_000)
  return refusal('upload_quota_exceeded', { megabytes, setting: 'UPLOAD_QUOTA' })
}

function invalidImage(faults: Finding[]): Problem {
  return invalidInput(faults.map(fault => ({ path: '/file', ...fault })))
}

function imageIn(form: Buffer, contentType: string): Buffer {
  const file = fileInForm(form, contentType)
  if (file === null) throw refusal('no_image')
  if (file.name !== 'file')
    throw invalidField(`/${file.name.slice(0, 100)}`, 'unknown_field', { allowed: ['file'] })
  if (file.bytes.length > MAX_UPLOAD_BYTES) throw refusal('image_too_large', { maxBytes: MAX_UPLOAD_BYTES })
  return file.bytes
}
