// The banners of the demo's shops, drawn as SVG: a product, a name, a claim and a button, laid out by the size and by
// the banner, so that no two look the same.

import { decoder } from '../../platform/images/decoder.ts'
import { lineOf, widthOf } from './letters.ts'
import { drawProduct, type Palette, type Product } from './products.ts'

export interface Look extends Palette {
  product: Product
  /** The name as banners write it, and the colour of paper. */
  name: string
  paper: string
}

// Only here, where all drawings are our own: what others send is decoded in other processes.
decoder.unblock({ operation: ['VipsForeignLoadSvgBuffer'] })

interface Frame {
  x: number
  y: number
  width: number
  height: number
}

export async function drawBanner(
  look: Look,
  { claim, button, variant }: { claim: string; button: string; variant: number },
  width: number,
  height: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const isDark = variant % 2 === 1
  const colors = isDark
    ? { back: look.dark, text: '#ffffff', button: look.paper, onButton: look.dark, patch: look.bright }
    : { back: look.paper, text: look.dark, button: look.dark, onButton: '#ffffff', patch: look.pale }
  const palette = isDark ? { dark: '#ffffff', bright: look.pale, pale: look.paper } : look
  const { picture, name, words, press } = framesOf(width, height, variant)
  const onPatch = isDark ? palette : { ...look, pale: '#ffffff' }
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<rect width="${width}" height="${height}" fill="${colors.back}"/>`,
    patchOf(picture, height > 1.5 * width ? 0 : variant, colors.patch),
    `<svg x="${picture.x}" y="${picture.y}" width="${picture.width}" height="${picture.height}" viewBox="-6 -6 112 112">`,
    drawProduct(look.product, onPatch),
    '</svg>',
    textIn(name, [look.name], colors.text, 1.1),
    textIn(words, linesOf(claim, words), colors.text, 1.7),
    `<rect x="${press.x}" y="${press.y}" width="${press.width}" height="${press.height}" rx="${press.height / 2}" fill="${colors.button}"/>`,
    textIn(inset(press, press.height * 0.5, press.height * 0.31), [button], colors.onButton, 1.5, true),
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" fill="none" stroke="#00000022"/>`,
    '</svg>',
  ].join('')
  const image = decoder(Buffer.from(svg)).flatten({ background: colors.back })
  return Uint8Array.from(await image.png({ palette: true }).toBuffer())
}

/** Where everything goes: in a strip side by side, in a tower one below the other, in a box in one of three ways. */
function framesOf(
  w: number,
  h: number,
  variant: number,
): Record<'picture' | 'name' | 'words' | 'press', Frame> {
  if (w > 2.5 * h) {
    const left = h * 1.35
    const press = Math.min(w * 0.26, h * 3.2)
    const middle = w - left - press - h * 0.5
    return {
      picture: frame(h * 0.1, h * 0.05, h * 0.9, h * 0.9),
      name: frame(left, h * 0.16, middle, h * 0.16),
      words: frame(left, h * 0.44, middle, h * 0.38),
      press: frame(w - press - h * 0.22, h * 0.27, press, h * 0.46),
    }
  }
  if (h > 1.5 * w)
    return {
      name: frame(w * 0.1, h * 0.05, w * 0.8, w * 0.09),
      picture: frame(w * 0.08, h * 0.12, w * 0.84, w * 0.84),
      words: frame(w * 0.1, h * 0.18 + w * 0.9, w * 0.8, h * 0.62 - w * 0.9),
      press: frame(w * 0.1, h - w * 0.36, w * 0.8, w * 0.22),
    }
  if (variant % 3 === 1)
    return {
      name: frame(w * 0.06, h * 0.08, h * 0.54, h * 0.05),
      picture: frame(w * 0.06, h * 0.24, h * 0.56, h * 0.56),
      words: frame(w * 0.58, h * 0.2, w * 0.37, h * 0.42),
      press: frame(w * 0.58, h * 0.72, w * 0.36, h * 0.15),
    }
  if (variant % 3 === 2)
    return {
      name: frame(w * 0.07, h * 0.08, w * 0.5, h * 0.06),
      words: frame(w * 0.07, h * 0.26, w * 0.43, h * 0.4),
      picture: frame(w * 0.97 - h * 0.54, h * 0.24, h * 0.54, h * 0.54),
      press: frame(w * 0.07, h * 0.76, w * 0.4, h * 0.15),
    }
  return {
    picture: frame(w / 2 - h * 0.24, h * 0.05, h * 0.48, h * 0.48),
    name: frame(w * 0.07, h * 0.89, w * 0.4, h * 0.055),
    words: frame(w * 0.07, h * 0.6, w * 0.86, h * 0.2),
    press: frame(w * 0.55, h * 0.83, w * 0.38, h * 0.13),
  }
}

const frame = (x: number, y: number, width: number, height: number): Frame => ({ x, y, width, height })

function inset({ x, y, width, height }: Frame, sides: number, ends: number): Frame {
  return frame(x + sides, y + ends, width - 2 * sides, height - 2 * ends)
}

/** What the product stands on: a disc, a band at the left, or a slope at the right. */
function patchOf({ x, y, width, height }: Frame, variant: number, color: string): string {
  const [middle, radius, far] = [x + width / 2, width * 0.56, 10 * width]
  if (variant % 3 === 0)
    return `<circle cx="${middle}" cy="${y + height / 2}" r="${radius}" fill="${color}"/>`
  if (variant % 3 === 1 || x < width) return `<path d="M0 0H${x + width * 1.05}V${far}H0Z" fill="${color}"/>`
  const [left, slant] = [middle - radius, height * 0.2]
  return `<path d="M${left + slant} ${y - height}H${far}V${far}H${left - slant} ${y + 2 * height}Z" fill="${color}"/>`
}

/** The claim in as many lines as make the letters largest. */
function linesOf(claim: string, { width, height }: Frame): string[] {
  const words = claim.split(' ')
  const ways = [1, 2, 3].filter(count => count <= words.length).map(count => wrapped(words, count))
  const heightIn = (lines: string[]) => fittingHeight(lines, width, height)
  return ways.reduce((best, lines) => (heightIn(lines) > heightIn(best) * 1.05 ? lines : best))
}

function wrapped(words: string[], count: number): string[] {
  const most = words.join(' ').length / count + 1
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    const isFull = last === undefined || (lines.length < count && `${last} ${word}`.length > most + 1)
    if (isFull) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

const LINE = 1.55

function fittingHeight(lines: string[], width: number, height: number): number {
  const byWidth = width / Math.max(...lines.map(line => widthOf(line, 1)))
  return Math.min(byWidth, height / ((lines.length - 1) * LINE + 1))
}

function textIn(
  { x, y, width, height }: Frame,
  lines: string[],
  color: string,
  weight: number,
  isCentred = false,
): string {
  const size = fittingHeight(lines, width, height)
  const top = y + (height - size * ((lines.length - 1) * LINE + 1)) / 2
  return lines
    .map((text, n) => {
      const left = isCentred ? x + (width - widthOf(text, size)) / 2 : x
      return lineOf(text, { x: left, y: top + n * size * LINE, height: size, color, weight })
    })
    .join('')
}
