// Checks that the data of every APNG frame unpacks to exactly the pixels that its header promises. The decoder reads
// only the first picture of an APNG, so without this check a broken later frame would pass.

import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import type { PngFrame, WalkedPng } from './png.ts'

const unpack = promisify(inflate)

/** The seven passes of an interlaced PNG: first column and row, then the steps to the next. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const
const HIGHEST_FILTER = 4

interface Rows {
  count: number
  bytesEach: number
}

/** Whether each frame is complete. The caller has limited the number of pixels. */
export async function apngFramesUnpack(bytes: Buffer, png: WalkedPng): Promise<boolean> {
  for (const frame of png.frames) {
    if (!(await frameUnpacks(bytes, frame, png))) return false
  }
  return true
}

async function frameUnpacks(bytes: Buffer, frame: PngFrame, png: WalkedPng): Promise<boolean> {
  const rows = rowsOf(frame, png)
  const expectedBytes = rows.reduce((sum, pass) => sum + pass.count * pass.bytesEach, 0)
  const packed = Buffer.concat(frame.data.map(([start, end]) => bytes.subarray(start, end)))
  try {
    const unpacked = await unpack(packed, { maxOutputLength: expectedBytes })
    return unpacked.length === expectedBytes && filtersAreKnown(unpacked, rows)
  } catch {
    return false
  }
}

function rowsOf({ width, height }: PngFrame, { bitsPerPixel, interlaced }: WalkedPng): Rows[] {
  const rowBytes = (pixels: number) => 1 + Math.ceil((pixels * bitsPerPixel) / 8)
  if (!interlaced) return [{ count: height, bytesEach: rowBytes(width) }]
  return PASSES.map(([left, top, stepX, stepY]) => ({
    columns: Math.max(0, Math.ceil((width - left) / stepX)),
    count: Math.max(0, Math.ceil((height - top) / stepY)),
  }))
    .filter(pass => pass.columns > 0 && pass.count > 0)
    .map(({ columns, count }) => ({ count, bytesEach: rowBytes(columns) }))
}

/** Each row begins with the number of its filter. */
function filtersAreKnown(unpacked: Buffer, rows: Rows[]): boolean {
  let at = 0
  for (const { count, bytesEach } of rows) {
    for (let row = 0; row < count; row++, at += bytesEach) {
      if (unpacked[at]! > HIGHEST_FILTER) return false
    }
  }
  return true
}
