// Checks in the browser, before anything is sent, whether an image can be a banner: its type, size and weight.

import { useQuery } from '@tanstack/react-query'
import { type IMAGE_TYPES, MAX_UPLOAD_BYTES } from '../../src/manage/banners/contract.ts'
import { api } from '../api/client.ts'
import { kilobytes } from '../format/format.ts'
import { t } from '../words/words.ts'

export interface AllowedSize {
  width: number
  height: number
  name: string
  maxBytes: number
}

export interface Looked {
  /** By its first bytes; null if it is not an image that we accept. */
  type: string | null
  width: number | null
  height: number | null
  bytes: number
}

export const adSizesQuery = {
  queryKey: ['ad-sizes'],
  queryFn: () => api.listAdSizes(),
  staleTime: Number.POSITIVE_INFINITY,
}
export const useAdSizes = () => useQuery(adSizesQuery).data ?? []

export const sizeText = ({ width, height }: { width: number | null; height: number | null }) =>
  `${width} × ${height}`

/** What the file is, whatever its name says. */
export async function lookAt(file: File): Promise<Looked> {
  const type = typeOf(new Uint8Array(await file.slice(0, 12).arrayBuffer()))
  const looked: Looked = { type, width: null, height: null, bytes: file.size }
  if (!type) return looked
  try {
    const bitmap = await createImageBitmap(file)
    const { width, height } = bitmap
    bitmap.close()
    return { ...looked, width, height }
  } catch {
    return looked
  }
}

function typeOf(bytes: Uint8Array): (typeof IMAGE_TYPES)[number] | null {
  const head = String.fromCharCode(...bytes)
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('\x89PNG')) return 'image/png'
  if (head.startsWith('GIF8')) return 'image/gif'
  return head.startsWith('RIFF') && head.startsWith('WEBP', 8) ? 'image/webp' : null
}

/** What is wrong with it, in words; empty if it fits. */
export function misfits(looked: Looked, sizes: readonly AllowedSize[]): string[] {
  const { type, width, height, bytes } = looked
  if (bytes === 0) return [t('why.empty')]
  if (!type) return [t('why.kind', { kind: t('kind.unknown') })]
  if (width === null || height === null) return [t('why.damaged')]
  const size = sizes.find(one => one.width === width && one.height === height)
  if (!size && sizes.length > 0) return [t('why.size', { width: String(width), height: String(height) })]
  const max = size?.maxBytes ?? MAX_UPLOAD_BYTES
  if (bytes <= max) return []
  return [
    t('why.weight', {
      bytes: kilobytes(bytes),
      width: String(width),
      height: String(height),
      maxBytes: kilobytes(max),
    }),
  ]
}

/** Whether cropping or resizing in the browser can fix it. */
export function canBeMended({ type, width }: Looked): boolean {
  return type !== null && width !== null
}

/** The allowed sizes: first those that need no enlarging, then by similar shape, then larger ones first. */
export function bySimilarity(looked: Looked, sizes: readonly AllowedSize[]): AllowedSize[] {
  const shape = (looked.width ?? 1) / (looked.height ?? 1)
  const apart = (size: AllowedSize) => Math.abs(Math.log(size.width / size.height / shape))
  const enlarged = (size: AllowedSize) => Number(size.width > looked.width! || size.height > looked.height!)
  return [...sizes].sort(
    (a, b) =>
      enlarged(a) - enlarged(b) ||
      Math.round((apart(a) - apart(b)) * 20) ||
      b.width * b.height - a.width * a.height,
  )
}
