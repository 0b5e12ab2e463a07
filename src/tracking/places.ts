// Where ads are shown (a site's domain, an app), by a 48-bit hash that fits into a link. Names are kept in memory,
// the least recently used going first; the ingest writes the names of places that something was counted on.

import { hash } from 'node:crypto'

export interface Place {
  kind: 'domain' | 'app'
  name: string
}

export interface Places {
  /** For links; remembers the name. */
  hashOf(kind: Place['kind'], name: string): number
  nameOf(placeHash: number): Place | undefined
  /** As the database has it. */
  learn(placeHash: number, place: Place): void
}

const PLACE_BYTES = 6
const LONGEST_NAME = 255

export function createPlaces(options: { maxPlaces: number }): Places {
  const hashes = new Map<string, number>()
  const names = new Map<number, Place>()

  function keep(placeHash: number, place: Place): void {
    names.delete(placeHash)
    names.set(placeHash, place)
    if (names.size <= options.maxPlaces) return
    const [oldestHash, oldest] = names.entries().next().value!
    names.delete(oldestHash)
    hashes.delete(keyOf(oldest))
  }

  return {
    hashOf(kind, name) {
      const place = { kind, name: name.slice(0, LONGEST_NAME) }
      const key = keyOf(place)
      const known = hashes.get(key)
      const placeHash = known ?? hash('sha256', key, 'buffer').readUIntBE(0, PLACE_BYTES)
      hashes.set(key, placeHash)
      keep(placeHash, place)
      return placeHash
    },
    nameOf: placeHash => names.get(placeHash),
    learn: keep,
  }
}

function keyOf(place: Place): string {
  return `${place.kind} ${place.name}`
}
