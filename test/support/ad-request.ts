// Ad requests for tests of targeting: a request without any facts about its visitor, which tests complete, and slots.

import type { AdRequest, Slot } from '../../src/deliver/targeting/request.ts'

export const SILENT_REQUEST: AdRequest = {
  id: 'r',
  slots: [],
  country: null,
  region: null,
  city: null,
  lat: null,
  lon: null,
  categories: [],
  device: null,
  gender: null,
  age: null,
  userKey: null,
  blockedCategories: [],
  blockedDomains: [],
  test: false,
  site: null,
  app: null,
  os: null,
}

export function slotFor(sizes: Slot['sizes'], floorMicros = 0): Slot {
  return { id: 's', sizes, floorMicros, secure: false, mimes: null, blockedAttributes: [] }
}
