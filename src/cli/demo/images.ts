// The demo's banners, drawn pixel by pixel from a few shapes, because a server may have no fonts and no drawing
// library.

import { decoder } from '../../platform/images/decoder.ts'

export interface Art {
  motif: 'wheels' | 'cup'
  /** `#rrggbb` */
  dark: string
  light: string
}

/** The distance of a point from the edge of a shape, in pixels; negative inside. */
type Shape = (x: number, y: number) => number
type Color = [red: number, green: number, blue: number]

interface Layer {
  shape: Shape
  color: Color
  opacity: number
}

const WHITE: Color = [255, 255, 255]

export async function drawBanner(art: Art, width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  const [dark, light] = [colorOf(art.dark), colorOf(art.light)]
  const layers = layersOf(art.motif, dark, light, width, height)
  const pixels = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let color = blend(dark, light, (x / width + y / height) / 2)
      for (const layer of layers) {
        const share = layer.opacity * covered(layer.shape(x, y))
        if (share > 0) color = blend(color, layer.color, share)
      }
      for (const i of [0, 1, 2] as const) pixels[(y * width + x) * 3 + i] = Math.round(color[i])
    }
  }
  const image = decoder(pixels, { raw: { width, height, channels: 3 } })
  return Uint8Array.from(await image.png({ palette: true }).toBuffer())
}

function layersOf(motif: Art['motif'], dark: Color, light: Color, width: number, height: number): Layer[] {
  const unit = Math.min(width, height)
  const isStrip = width > 2 * height
  const size = unit * (isStrip ? 0.4 : 0.3)
  const [x, y] = isStrip ? [unit * 0.75, height / 2] : [width / 2, height * 0.38]
  const [w, h] = [isStrip ? unit * 1.4 : width * 0.5, unit * 0.18]
  const [left, top] = isStrip
    ? [width - w - unit * 0.3, (height - h) / 2]
    : [(width - w) / 2, height * 0.85 - h]
  const rays = [0.55, 0.7, 0.85].map(at =>
    line(width * at, 0, width * at - height * 0.5, height, unit * 0.03),
  )
  const motifLayers = MOTIFS[motif](x, y, size, size * 0.05)
  return [
    ...rays.map(shape => ({ shape, color: light, opacity: 0.35 })),
    ...motifLayers.map(shape => ({ shape, color: WHITE, opacity: 1 })),
    // It resembles a button.
    { shape: box(left, top, w, h), color: WHITE, opacity: 1 },
    { shape: box(left + w * 0.25, top + h * 0.4, w * 0.5, h * 0.2), color: dark, opacity: 1 },
  ]
}

const MOTIFS: Record<Art['motif'], (x: number, y: number, size: number, pen: number) => Shape[]> = {
  wheels: (x, y, size, pen) => {
    const [back, front, axle, bar] = [x - size * 0.75, x + size * 0.75, y + size * 0.3, y - size * 0.45]
    return [
      ring(back, axle, size * 0.45, pen),
      ring(front, axle, size * 0.45, pen),
      line(back, axle, x - size * 0.25, bar, pen),
      line(x - size * 0.25, bar, x + size * 0.45, bar, pen),
      line(x + size * 0.45, bar, front, axle, pen),
      line(back, axle, x, axle, pen),
      line(x, axle, x + size * 0.45, bar, pen),
    ]
  },
  cup: (x, y, size, pen) => [
    ring(x + size * 0.6, y + size * 0.15, size * 0.22, pen),
    box(x - size * 0.6, y - size * 0.2, size * 1.2, size * 0.85),
    line(x - size * 0.2, y - size * 0.4, x - size * 0.1, y - size * 0.75, pen),
    line(x + size * 0.2, y - size * 0.4, x + size * 0.3, y - size * 0.75, pen),
  ],
}

function ring(cx: number, cy: number, radius: number, pen: number): Shape {
  return (x, y) => Math.abs(length(x - cx, y - cy) - radius) - pen
}

function line(ax: number, ay: number, bx: number, by: number, pen: number): Shape {
  const [dx, dy] = [bx - ax, by - ay]
  return (x, y) => {
    const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)))
    return length(x - ax - along * dx, y - ay - along * dy) - pen
  }
}

/** A box with round corners. */
function box(left: number, top: number, width: number, height: number): Shape {
  const radius = Math.min(width, height) / 2
  return (x, y) => {
    const dx = Math.abs(x - left - width / 2) - width / 2 + radius
    const dy = Math.abs(y - top - height / 2) - height / 2 + radius
    return length(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius
  }
}

/** `Math.hypot` is many times slower. */
function length(x: number, y: number): number {
  return Math.sqrt(x * x + y * y)
}

/** Edges are blurred over one pixel. */
function covered(distance: number): number {
  return Math.min(1, Math.max(0, 0.5 - distance))
}

function blend(from: Color, to: Color, share: number): Color {
  const mix = (i: 0 | 1 | 2) => from[i] + (to[i] - from[i]) * share
  return [mix(0), mix(1), mix(2)]
}

function colorOf(hex: string): Color {
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}
