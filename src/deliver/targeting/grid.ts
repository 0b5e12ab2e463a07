// Circles on the globe as cells of a grid: level n has cells of 0.01 x 2^n degrees, row by row from the south pole. A
// point in a circle is in one of its cells, even at the poles and the date line; the caller tests the exact distance.

import type { Radius } from '../../manage/personas/matched-form.ts'
import { EARTH_RADIUS_M } from './match.ts'

/** At the coarsest level, one row of two cells covers the whole globe, so there is a level for every circle. */
export const GRID_LEVELS = 16
const CELL_DEG = Array.from({ length: GRID_LEVELS }, (_, level) => 0.01 * 2 ** level)
/** More cells mean more postings; fewer mean larger cells with more visitors who are not in the circle. */
export const MAX_CELLS = 6
/** About a centimetre: rounding must never push the rim of a circle out of its cells. */
const RIM_DEG = 1e-7
const DEGREES_PER_RADIAN = 180 / Math.PI
const ROW_FACTOR = 65_536

export interface Cells {
  level: number
  /** All different. */
  keys: number[]
}

interface Box {
  south: number
  north: number
  /** West edge in [0, 360), counted from the date line. */
  west: number
  /** 360: the whole row. */
  width: number
}

export function cellsOf(radius: Radius): Cells {
  const box = boxOf(radius)
  for (let level = 0; ; level++) {
    const keys = cellsIn(box, level)
    if (keys !== null) return { level, keys }
  }
}

/** `east`: fromDateLine(lon), the same for all levels. */
export function cellAt(level: number, lat: number, east: number): number {
  const cellDeg = CELL_DEG[level]!
  return keyOf(rowOf(lat, cellDeg), Math.floor(east / cellDeg))
}

/** `| 0` marks it as a 32-bit integer, because maps find such keys faster. */
function keyOf(row: number, column: number): number {
  return (row * ROW_FACTOR + column) | 0
}

function boxOf({ lat, lon, radiusM }: Radius): Box {
  const angle = radiusM / EARTH_RADIUS_M
  const halfHeight = angle * DEGREES_PER_RADIAN + RIM_DEG
  const south = Math.max(-90, lat - halfHeight)
  const north = Math.min(90, lat + halfHeight)
  // A circle that contains a pole covers every longitude.
  if (south === -90 || north === 90) return { south, north, west: 0, width: 360 }
  const reach = Math.sin(angle) / Math.cos(lat / DEGREES_PER_RADIAN)
  // Close to a pole, the slack at the rim covers more degrees of longitude.
  const slack = RIM_DEG / Math.cos(Math.max(Math.abs(south), Math.abs(north)) / DEGREES_PER_RADIAN)
  const halfWidth = Math.asin(reach) * DEGREES_PER_RADIAN + slack
  // This includes a reach above 1, whose arcsine is not a number.
  if (!(halfWidth < 180)) return { south, north, west: 0, width: 360 }
  return { south, north, west: fromDateLine(lon - halfWidth), width: 2 * halfWidth }
}

/** Null: too many cells at this level. */
function cellsIn(box: Box, level: number): number[] | null {
  const cellDeg = CELL_DEG[level]!
  const firstRow = rowOf(box.south, cellDeg)
  const lastRow = rowOf(box.north, cellDeg)
  const columns = columnsIn(box, cellDeg)
  const coarsest = level === GRID_LEVELS - 1
  if (!coarsest && (lastRow - firstRow + 1) * columns.count > MAX_CELLS) return null
  const keys: number[] = []
  for (let row = firstRow; row <= lastRow; row++) {
    for (let step = 0; step < columns.count; step++) {
      keys.push(keyOf(row, (columns.first + step) % columns.all))
    }
  }
  return keys
}

function columnsIn(box: Box, cellDeg: number): { first: number; count: number; all: number } {
  const all = Math.ceil(360 / cellDeg)
  if (box.width >= 360) return { first: 0, count: all, all }
  const first = Math.floor(box.west / cellDeg)
  const east = box.west + box.width
  // Past the date line the columns start at 0 again; the last column may be narrower than the others.
  const last = east < 360 ? Math.floor(east / cellDeg) : all + Math.floor((east - 360) / cellDeg)
  return { first, count: Math.min(all, last - first + 1), all }
}

function rowOf(lat: number, cellDeg: number): number {
  return Math.floor((lat + 90) / cellDeg)
}

/** Degrees east of the date line, in [0, 360). */
export function fromDateLine(lon: number): number {
  const degrees = (lon + 180) % 360
  return degrees < 0 ? degrees + 360 : degrees
}
