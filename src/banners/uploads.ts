// Uploaded images: read from the request completely and within limits, inspected before anything is stored, stored by
// content hash, and recorded as their customer's.

import type { Readable } from 'node:stream'
import multipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../kernel/clock.ts'
import { type Finding, finding } from '../kernel/finding.ts'
import { invalidField, invalidInput, Problem, refusal } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import type { ImageType } from '../platform/images/type.ts'
import { exceeded } from '../platform/quotas.ts'
import { IMAGE_TYPES, MAX_UPLOAD_BYTES, type Upload } from './contract.ts'
import type { Inspect, Inspection } from './creative/inspection.ts'
import { type Creatives, creativeName } from './creative/store.ts'
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

/**
 * Makes `server` read images instead of JSON: the body of a request becomes the bytes of a whole image. The image is
 * checked here, before the handler's transaction, which must not wait for a decoder.
 */
export function readImageBodies(server: FastifyInstance, inspect: UploadParts['inspect']): void {
  server.removeAllContentTypeParsers()
  server.register(multipart, {
    limits: {
      fileSize: MAX_UPLOAD_BYTES,
      files: 1,
      fields: 10,
      parts: 11,
      fieldSize: 10_000,
      headerPairs: 100,
    },
  })
  server.addContentTypeParser(
    [...IMAGE_TYPES, 'application/octet-stream'],
    async ({ headers, routeOptions }: FastifyRequest, payload: Readable) =>
      readInPieces(payload, headers['content-length'], routeOptions.bodyLimit),
  )
  server.addContentTypeParser('*', async () => {
    throw refusal('unsupported_media_type', {
      allowed: [...IMAGE_TYPES, 'application/octet-stream', 'multipart/form-data'],
    })
  })
  server.addHook('preHandler', async request => {
    const bytes = request.isMultipart() ? await readForm(request) : request.body
    const image = await wholeImage(bytes, found => inspect(found, request.call!.cuid!))
    images.set(image.bytes, image)
    request.body = image.bytes
  })
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
  const { type, width, height, faults } = await inspect(body)
  if (faults.length > 0) throw invalidImage(faults)
  if (!type || !width || !height) throw invalidImage([finding('image_kind', { kind: 'unknown' })])
  return { bytes: body, type, width, height }
}

function overQuota(quotaBytes: number): Problem {
  const megabytes = Math.floor(quotaBytes / 1_000_000)
  return refusal('upload_quota_exceeded', { megabytes, setting: 'UPLOAD_QUOTA' })
}

function invalidImage(faults: Finding[]): Problem {
  return invalidInput(faults.map(fault => ({ path: '/file', ...fault })))
}

async function readForm(request: FastifyRequest): Promise<Buffer | null> {
  let file: Buffer | null = null
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') file = await readPart(part)
    }
  } catch (error) {
    throw formProblem(error)
  }
  return file
}

async function readPart(part: MultipartFile): Promise<Buffer> {
  if (part.fieldname === 'file') return part.toBuffer()
  part.file.resume()
  throw invalidField(`/${part.fieldname.slice(0, 100)}`, 'unknown_field', { allowed: ['file'] })
}

/** Turns the form reader's errors into problems of our own. */
function formProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { statusCode, code } = error as { statusCode?: number; code?: string }
  if (code === 'FST_REQ_FILE_TOO_LARGE') {
    return refusal('image_too_large', { maxBytes: MAX_UPLOAD_BYTES })
  }
  if (statusCode === 413) return refusal('too_many_parts')
  return refusal('malformed_form', {}, { cause: error })
}
