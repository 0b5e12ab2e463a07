// What kind of image a file is, by its first bytes alone, without its name, its content type or a decoder.

export type ImageType = 'jpeg' | 'png' | 'gif' | 'webp'

export function imageTypeOf(bytes: Buffer): ImageType | null {
  const head = bytes.toString('latin1', 0, 16)
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif'
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return 'webp'
  return null
}
