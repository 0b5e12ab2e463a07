// Circles as cells of the grid: no point of a circle is missed.

import { expect, it } from 'vitest'
import { createPrng, seedFromEnv } from '../../../test/support/prng.ts'
import { cellAt, cellsOf, fromDateLine, MAX_CELLS } from './grid.ts'
import { distanceM, EARTH_RADIUS_M } from './match.ts'

const DEGREES = 180 / Math.PI

/** The point at a distance and bearing from another. */
function travel(lat: number, lon: number, meters: number, bearing: number): [number, number] {
  const angle = meters / EARTH_RADIUS_M
  const phi = lat / DEGREES
  const sinTo = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(bearing)
  const eastward = Math.atan2(
    Math.sin(bearing) * Math.sin(angle) * Math.cos(phi),
    Math.cos(angle) - Math.sin(phi) * sinTo,
  )
  const to = Math.asin(Math.max(-1, Math.min(1, sinTo))) * DEGREES
  const east = lon + eastward * DEGREES
  return [to, east > 180 ? east - 360 : east < -180 ? east + 360 : east]
}

it('a point in a circle is in one of its cells, even at the poles and the date line', () => {
  const seed = seedFromEnv()
  const random = createPrng(seed)
  let inside = 0
  for (let round = 0; round < 60_000; round++) {
    const where = random()
    const lat =
      where < 0.2 ? 90 - random() ** 4 * 20 : where < 0.4 ? -90 + random() ** 4 * 20 : random() * 180 - 90
    const side = random() < 0.5 ? 180 : -180
    const lon = random() < 0.3 ? side - Math.sign(side) * random() ** 4 * 10 : random() * 360 - 180
    const radiusM = 10 ** (random() * 6)
    const { level, keys } = cellsOf({ lat, lon, radiusM })
    // Mostly near the rim, where a cell could be missed.
    const meters = radiusM * (random() < 0.7 ? 1 - random() ** 3 * 0.01 : Math.sqrt(random()))
    const [toLat, toLon] = travel(lat, lon, meters, random() * 2 * Math.PI)
    if (distanceM(lat, lon, toLat, toLon) > radiusM) continue
    inside++
    const detail = `SEED=${seed} circle ${lat},${lon},${radiusM} point ${toLat},${toLon} level ${level}`
    if (!keys.includes(cellAt(level, toLat, fromDateLine(toLon)))) expect.fail(detail)
    if (keys.length > MAX_CELLS || new Set(keys).size !== keys.length) expect.fail(`${detail}: ${keys}`)
  }
  expect(inside).toBeGreaterThan(30_000)
})

it('a circle on a pole, across the date line or around the globe has its cells', () => {
  const isCovered = (lat: number, lon: number, radiusM: number, toLat: number, toLon: number) => {
    const { level, keys } = cellsOf({ lat, lon, radiusM })
    return keys.includes(cellAt(level, toLat, fromDateLine(toLon)))
  }
  expect(isCovered(90, 0, 1, 90, -137)).toBe(true)
  expect(isCovered(-90, 12, 1000, -89.9999, 179)).toBe(true)
  expect(isCovered(0, 180, 100, 0, -180)).toBe(true)
  expect(isCovered(10, -180, 500, 10, 179.999)).toBe(true)
  expect(isCovered(0, 0, 30_000_000, -45, 170)).toBe(true)
})

it('a small circle has small cells, so that distant requests do not find it', () => {
  const { level, keys } = cellsOf({ lat: 43.65, lon: -79.38, radiusM: 500 })
  expect(level).toBeLessThanOrEqual(1)
  expect(keys.includes(cellAt(level, 43.75, fromDateLine(-79.38)))).toBe(false)
})
