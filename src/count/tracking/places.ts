// Where ads are shown (a site's domain, an app), by a 48-bit hash that fits into a link and an event. The ingest writes
// the names of places together with counted events; links carry a name until it is known to be on disk. Held in memory;
// the least recently used are dropped first.

import { hash } from 'node:crypto'
import { createRecent } from '../../kernel/recent.ts'

export interface Place {
  kind: 'domain' | 'app'
  name: string
}

export interface HashedPlace extends Place {
  placeHash: number
}

export interface Places {
  /** The hash of a place, for links; remembers its name. */
  hashOf(kind: Place['kind'], name: string): number
  /** The name that a link must carry; null if it is known to be on disk. */
  carriedNameOf(placeHash: number): Place | null
  /** The places of these ads whose name is not known to be on disk, with the name from the link or from memory. */
  unwritten(ads: Iterable<{ placeHash: number | null; placeName: Place | null }>): HashedPlace[]
  /** Notes that the names of these places are on disk. */
  written(placeHashes: Iterable<number>): void
  /** Forgets which names are on disk. */
  forgetWritten(): void
}

const HASH_BYTES = 6
export const LONGEST_PLACE_BYTES = 255

export function createPlaces(options: { maxPlaces: number }): Places {
  const hashes = {
    domain: createRecent<string, number>(options.maxPlaces),
    app: createRecent<string, number>(options.maxPlaces),
  }
  const names = createRecent<number, Place>(options.maxPlaces)
  let onDisk = createRecent<number, true>(options.maxPlaces)

  return {
    hashOf(kind, name) {
      const known = hashes[kind].get(name)
      if (known !== undefined && names.get(known) !== undefined) return known
      const place = { kind, name: shortened(name) }
      const placeHash = hash48(`${place.kind} ${place.name}`)
      hashes[kind].set(name, placeHash)
      names.set(placeHash, place)
      return placeHash
    },
    carriedNameOf: placeHash => (onDisk.get(placeHash) ? null : (names.get(placeHash) ?? null)),
    unwritten(ads) {
      const found = new Map<number, HashedPlace>()
      for (const { placeHash, placeName } of ads) {
        if (placeHash === null || found.has(placeHash) || onDisk.get(placeHash)) continue
        const place = placeName ?? names.get(placeHash)
        if (place) found.set(placeHash, { placeHash, ...place })
      }
      return [...found.values()]
    },
    written(placeHashes) {
      for (const placeHash of placeHashes) onDisk.set(placeHash, true)
    },
    forgetWritten() {
      onDisk = createRecent(options.maxPlaces)
    },
  }
}

/** Shortens a name to whole characters within the limit. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_PLACE_BYTES) return name
  const { read } = new TextEncoder().encodeInto(name, new Uint8Array(LONGEST_PLACE_BYTES))
  return name.slice(0, read)
}

/** Small enough for a number, large enough that no two names of a deployment collide. */
export function hash48(text: string): number {
  return hash('sha256', text, 'buffer').readUIntBE(0, HASH_BYTES)
}
