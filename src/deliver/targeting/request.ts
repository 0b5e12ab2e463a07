// The ad request in our own terms: every dialect (OpenRTB, tags) is parsed into this, and decide() knows nothing else.
// Attributes that the request does not have are null.

export type Device = 'mobile' | 'tablet' | 'desktop'
export type Gender = 'male' | 'female'
export type AgeBand = '13to17' | '18to34' | '35to49' | '50+'

/** A country for tests that fits every persona. Only a sandbox accepts it. */
export const ANYWHERE = 'ZZ'
/** The id of a user for tests who fits every persona. Only a sandbox accepts it. */
export const ANYONE = 'sandbox-anyone'

export interface Size {
  width: number
  height: number
}

/** One place on the page that wants an ad. */
export interface Slot {
  /** Echoed to the caller (OpenRTB imp.id). */
  id: string
  sizes: Size[]
  /** The CPM in micros of the deployment's currency. */
  floorMicros: number
  /** Of each of `sizes`, if they differ; `floorMicros` is the lowest of them. */
  sizeFloors?: number[]
  /** Links must be https. */
  secure: boolean
  /** MIME types that are allowed; null: all. */
  mimes: string[] | null
  /** IAB creative attributes (AdCOM) that are refused. */
  blockedAttributes: number[]
}

/** What the request says of one attribute, as one app has declared it. */
export interface RequestAttribute {
  /** See `attributeName` of manage/attributes/wanted.ts. */
  name: string
  /** Folded; none of a number. */
  words: readonly string[]
  number: number | null
}

export interface AdRequest {
  id: string
  slots: Slot[]
  /** ISO 3166-1 alpha-2, upper case. */
  country: string | null
  /** ISO 3166-2 subdivision code without the country, upper case. */
  region: string | null
  /** Folded by reference/geo's foldName. */
  city: string | null
  lat: number | null
  lon: number | null
  /** IAB Content Taxonomy 1.0 codes of the page, app or content. */
  categories: string[]
  /** Null: unknown, or none of ours (television, out of home). */
  device: Device | null
  gender: Gender | null
  age: AgeBand | null
  /** What apps know about it. Missing: nothing. */
  attributes?: readonly RequestAttribute[]
  /** An opaque key of the user, for frequency caps; null if there is no user or consent forbids a key. */
  userKey: string | null
  /** The key for ads of a date, if it depends on the date: see `userKeyOnDates`. */
  userKeyOn?: ((dayKey: number) => string) | undefined
  /** In a sandbox: the user fits every persona. */
  isAnyone?: boolean
  /** IAB codes of advertisers that are refused; a parent blocks its children. */
  blockedCategories: string[]
  /** Advertiser domains that are refused, with their subdomains. */
  blockedDomains: string[]
  /** Only advertisers with a name. */
  needsAdvertiser?: boolean
  /** Never billed. */
  test: boolean
  /** For reports. */
  site: string | null
  app: string | null
  os: string | null
}
