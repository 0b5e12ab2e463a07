// Where the visitors of a sandbox live: in the towns of a place, more of them in larger towns, or around a point.

import { createRecent } from '../kernel/recent.ts'
import { allCities, type City, citiesOf, findCity } from '../manage/reference/cities.ts'
import { EVERYWHERE, parsePlace } from '../manage/reference/geo.ts'
import type { Random } from './random.ts'

/** What a request says about the home. */
export interface Home {
  country: string
  region?: string
  city?: string
  lat?: number
  lon?: number
}

/** How far from the centre of a town a visitor may live. */
const TOWN_M = 5_000
const METRES_PER_DEGREE = 111_000
const MOST_TOWNS = 50
const MOST_KEPT = 1_000
/** `@43.65,-79.38,5000`: a point, and a radius in metres. */
const AROUND = /^@(-?[\d.]+),(-?[\d.]+),(\d+)$/

interface Area {
  /** The largest first. */
  towns: readonly City[]
  /** The home if no town of the place is known. */
  otherwise: Home | null
  around: { lat: number; lon: number; metres: number } | null
}

const areas = createRecent<string, Area>(MOST_KEPT)

export function placeAround(lat: number, lon: number, metres: number): string {
  return `@${lat},${lon},${metres}`
}

/** `place` is a place as a persona names it, or a circle. The same state of `random` gives the same home. */
export function homeNear(place: string, random: Random): Home {
  const area = areas.get(place) ?? areaOf(place)
  areas.set(place, area)
  const [rank, north, east] = [random(), random() - 0.5, random() - 0.5]
  const town = area.towns[Math.floor((area.towns.length + 1) ** rank) - 1]
  if (!town) return area.otherwise!
  const { lat, lon, metres } = area.around ?? { ...town, metres: TOWN_M }
  // A square inside the circle.
  const degrees = metres / METRES_PER_DEGREE
  return {
    country: town.country,
    region: town.region,
    city: town.name,
    lat: Number((lat + north * degrees).toFixed(4)),
    lon: Number((lon + east * degrees).toFixed(4)),
  }
}

function areaOf(place: string): Area {
  const around = AROUND.exec(place)
  if (around) {
    const [lat, lon, metres] = around.slice(1).map(Number) as [number, number, number]
    return { towns: [nearestTown(lat, lon)], otherwise: null, around: { lat, lon, metres } }
  }
  const parsed = parsePlace(place)
  if ('error' in parsed || parsed.place.country === EVERYWHERE) throw new Error(`no place: ${place}`)
  const { country, region, cityName } = parsed.place
  const town = cityName === undefined ? null : findCity(cityName, country, region)
  const otherwise = {
    country,
    ...(region === undefined ? {} : { region }),
    ...(cityName === undefined ? {} : { city: cityName }),
  }
  if (cityName !== undefined) return { towns: town ? [town] : [], otherwise, around: null }
  const towns =
    region === undefined ? allCities().filter(city => city.country === country) : citiesOf(country, region)
  return { towns: towns.slice(0, MOST_TOWNS), otherwise, around: null }
}

/** Treats the earth as flat, which is accurate enough for a visitor. */
function nearestTown(lat: number, lon: number): City {
  const narrow = Math.cos((lat * Math.PI) / 180)
  const far = (city: City) => (city.lat - lat) ** 2 + ((city.lon - lon) * narrow) ** 2
  let nearest = allCities()[0]!
  for (const city of allCities()) if (far(city) < far(nearest)) nearest = city
  return nearest
}
