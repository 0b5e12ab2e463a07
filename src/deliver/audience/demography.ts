// Age and gender in the bands that personas target. A visitor under 13, or of an impossible age, is in no band.

import type { AgeBand } from '../targeting/request.ts'

const OLDEST_AGE_YEARS = 130

export function ageBand(ageYears: number): AgeBand | null {
  if (!(ageYears >= 13) || ageYears > OLDEST_AGE_YEARS) return null
  if (ageYears < 18) return '13to17'
  if (ageYears < 35) return '18to34'
  return ageYears < 50 ? '35to49' : '50+'
}

/** A year of birth says nothing about the birthday: the age is the one reached in the current (UTC) year. */
export function ageBandOfBirthYear(birthYear: number, nowMs: number): AgeBand | null {
  if (!Number.isInteger(birthYear)) return null
  return ageBand(new Date(nowMs).getUTCFullYear() - birthYear)
}
