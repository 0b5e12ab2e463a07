// Where ads are shown (a site's domain, an app), by a 48-bit hash that fits into a link. Names are kept in memory,
// those not used for longest going first; the ingest writes the names of places that something was counted on.

import { hash } from 'node:crypto'
import { createRecent } from '../kernel/recent.ts'

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
  const hashes = {
    domain: createRecent<string, number>(options.maxPlaces),
    app: createRecent<string, number>(options.maxPlaces),
  }
  const names = createRecent<number, Place>(options.maxPlaces)

  return {
    hashOf(kind, name) {
      const known = hashes[kind].get(name)
      if (known !== undefined && names.get(known) !== undefined) return known
      const place = { kind, name: name.slice(0, LONGEST_NAME) }
      const placeHash = hash('sha256', keyOf(place), 'buffer').readUIntBE(0, PLACE_BYTES)
      hashes[kind].set(name, placeHash)
      names.set(placeHash, place)
      return placeHash
    },
    nameOf: placeHash => names.get(placeHash),
    learn: names.set,
  }
}

function keyOf(place: Place): string {
  return `${place.kind} ${place.name}`
}
