// A persona being edited: both forms of geography side by side, so that trying the other one loses nothing.

import type { WantedAttributes } from '../../src/manage/attributes/contract.ts'
import type { NewPersona, Persona } from '../../src/manage/personas/contract.ts'
import { numberToSend, writeNumber } from '../form/number.ts'

export const DEVICES = ['mobile', 'tablet', 'desktop'] as const
export const GENDERS = ['male', 'female', 'unknown'] as const
export const AGES = ['13to17', '18to34', '35to49', '50+'] as const
type Switches<K extends string> = Record<K, boolean>

export interface PersonaDraft {
  name: string
  geoForm: 'places' | 'radius'
  geos: string[]
  /** In metres. */
  radius: number | null
  /** As typed. */
  latitude: string
  longitude: string
  cat: string[]
  device: Switches<(typeof DEVICES)[number]>
  rotation: Persona['rotation']
  /** Null: all. */
  gender: Switches<(typeof GENDERS)[number]> | null
  age: Switches<(typeof AGES)[number]> | null
  attributes: WantedAttributes
}

/** Where the map begins if the reader's home is not known. */
const SOMEWHERE = { latitude: writeNumber(52.52, 6), longitude: writeNumber(13.405, 6) }
export const isSomewhere = ({ latitude, longitude }: PersonaDraft) =>
  latitude === SOMEWHERE.latitude && longitude === SOMEWHERE.longitude

/** `country`: proposed; null: none. */
export function newPersonaDraft(name: string, country: string | null = null): PersonaDraft {
  return {
    name,
    geoForm: 'places',
    geos: country === null ? [] : [country],
    radius: 25_000,
    ...SOMEWHERE,
    cat: [],
    device: { mobile: true, tablet: true, desktop: true },
    rotation: 'even',
    gender: null,
    age: null,
    attributes: {},
  }
}

export function personaDraftOf(persona: Persona): PersonaDraft {
  const { name, geo, cat, device, demo, rotation, attributes } = persona
  const { gender, age } = demo
  const draft = { ...newPersonaDraft(name), cat, device, rotation, gender, age, attributes }
  if ('geos' in geo) return { ...draft, geos: geo.geos }
  const [latitude, longitude] = geo.geocode
  return {
    ...draft,
    geoForm: 'radius',
    radius: geo.radius,
    latitude: writeNumber(latitude, 6),
    longitude: writeNumber(longitude, 6),
  }
}

/** The body that the API expects; the API says what is wrong with it. */
export function personaBodyOf(draft: PersonaDraft): NewPersona {
  const { name, cat, device, rotation, gender, age, attributes } = draft
  const geo =
    draft.geoForm === 'places'
      ? { geos: draft.geos }
      : {
          radius: draft.radius as number,
          geocode: [numberToSend(draft.latitude, 6), numberToSend(draft.longitude, 6)] as [number, number],
        }
  return { name, geo, cat, device, demo: { gender, age }, rotation, attributes }
}
