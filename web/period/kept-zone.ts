// The time zone a reader has chosen for their figures; null: that of the deployment.

import { isTimeZone } from './zone.ts'

const STORED = 'marquee-timezone'

export function keptZone(): string | null {
  const stored = localStorage.getItem(STORED)
  return stored !== null && isTimeZone(stored) ? stored : null
}

export function keepZone(zone: string | null): void {
  if (zone === null) localStorage.removeItem(STORED)
  else localStorage.setItem(STORED, zone)
}
