// Draws an image in an allowed size: cropped to fill it, or whole on a background. Then finds the format and quality
// that keep the file small enough.

import type { AllowedSize } from './fit.ts'

export interface Fitting {
  mode: 'crop' | 'whole'
  /** Which part is kept when cropping, or where the image is placed: 0 to 1, from left and top. */
  x: number
  y: number
  background: string
}

export function drawFit(
  canvas: HTMLCanvasElement,
  image: ImageBitmap,
  size: Pick<AllowedSize, 'width' | 'height'>,
  { mode, x, y, background }: Fitting,
): void {
  canvas.width = size.width
  canvas.height = size.height
  const context = canvas.getContext('2d')!
  context.imageSmoothingQuality = 'high'
  context.fillStyle = background
  context.fillRect(0, 0, size.width, size.height)
  const ratios = [size.width / image.width, size.height / image.height]
  const scale = mode === 'crop' ? Math.max(...ratios) : Math.min(...ratios)
  const [width, height] = [image.width * scale, image.height * scale]
  context.drawImage(image, (size.width - width) * x, (size.height - height) * y, width, height)
}

const QUALITIES = [0.92, 0.85, 0.75, 0.65, 0.5, 0.35, 0.2]

/** The best encoding that is small enough; null if none is. */
export async function encodeWithin(canvas: HTMLCanvasElement, maxBytes: number): Promise<Blob | null> {
  const png = await encode(canvas, 'image/png')
  if (png && png.size <= maxBytes) return png
  for (const quality of QUALITIES) {
    const jpeg = await encode(canvas, 'image/jpeg', quality)
    if (jpeg && jpeg.size <= maxBytes) return jpeg
  }
  return null
}

function encode(canvas: HTMLCanvasElement, type: string, quality?: number): Promise<Blob | null> {
  return new Promise(resolve => canvas.toBlob(resolve, type, quality))
}
