// Distances as the reader measures them. The API keeps metres.

import { locale } from '../words/words.ts'

export const UNITS = ['km', 'mi'] as const
export type Unit = (typeof UNITS)[number]

const METRES: Record<Unit, number> = { km: 1000, mi: 1609.344 }
const STORED = 'marquee-distance'

export function preferredUnit(): Unit {
  const stored = localStorage.getItem(STORED)
  if (stored === 'km' || stored === 'mi') return stored
  return /-(US|GB|LR|MM)$/.test(locale()) ? 'mi' : 'km'
}

export function keepUnit(unit: Unit): void {
  localStorage.setItem(STORED, unit)
}

export const inUnit = (metres: number, unit: Unit) => metres / METRES[unit]
export const inMetres = (distance: number, unit: Unit) => Math.round(distance * METRES[unit])

export function writeDistance(metres: number, unit: Unit): string {
  return new Intl.NumberFormat(locale(), {
    style: 'unit',
    unit: unit === 'km' ? 'kilometer' : 'mile',
    maximumFractionDigits: 2,
  }).format(inUnit(metres, unit))
}
