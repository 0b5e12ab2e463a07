// The ad request in our own terms: every dialect (OpenRTB, tags) is parsed into this, and decide() knows nothing else.
// An attribute that the request does not have is null.

export type Device = 'mobile' | 'tablet' | 'desktop'
export type Gender = 'male' | 'female'
export type AgeBand = '13to17' | '18to34' | '35to49' | '50+'

/** The country of requests for tests that every persona means. Only a sandbox takes it for one. */
export const ANYWHERE = 'ZZ'
/** Likewise, the id of a user. */
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
  /** CPM in micro-units of the deployment's currency. */
  floorMicros: number
  /** Links must be https. */
  secure: boolean
  /** MIME types that are allowed; null: all. */
  mimes: string[] | null
  /** IAB creative attributes (AdCOM) that are refused. */
  blockedAttributes: number[]
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
  /** null: unknown, or none of ours (television, out of home). */
  device: Device | null
  gender: Gender | null
  age: AgeBand | null
  /** The user that frequency caps count: an opaque key; null if there is none or consent forbids it. */
  userKey: string | null
  /** In a sandbox: a user whom every persona means. */
  isAnyone?: boolean
  /** IAB codes of advertisers that are refused; a parent blocks its children. */
  blockedCategories: string[]
  /** Advertiser domains that are refused, with their sub-domains. */
  blockedDomains: string[]
  /** Never billed. */
  test: boolean
  /** For reports. */
  site: string | null
  app: string | null
  os: string | null
}
