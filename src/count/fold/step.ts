// How many rows are folded at once. A step that took too long is halved, and a quick one is doubled. There is a gap
// between the two thresholds, so that growing never runs into the limit that caused the shrinking.

import { QUERY_CANCELED, sqlState } from '../../platform/database.ts'

export interface Step {
  rows(): number
  /** Called when a full step took this time. */
  took(ms: number): void
  /** Called when a step was undone. True: a smaller one may fit, and is next. */
  failed(error: unknown): boolean
}

export interface StepLimits {
  limitMs: number
  most: number
}

const FIRST_ROWS = 20_000
const LEAST_ROWS = 500
/** Parts of the limit: a step above the first is slow, below the second quick. */
const SLOW = 1 / 4
const QUICK = 1 / 16

export function createStep({ limitMs, most }: StepLimits): Step {
  let rows = Math.min(FIRST_ROWS, most)
  const halve = () => {
    rows = Math.max(Math.floor(rows / 2), Math.min(LEAST_ROWS, most))
  }
  return {
    rows: () => rows,
    took(ms) {
      if (ms > limitMs * SLOW) halve()
      else if (ms < limitMs * QUICK) rows = Math.min(rows * 2, most)
    },
    failed(error) {
      const before = rows
      if (isTooMuch(error)) halve()
      return rows < before
    },
  }
}

const [DISK_FULL, OUT_OF_MEMORY] = ['53100', '53200']
const TOO_MUCH = [QUERY_CANCELED, DISK_FULL, OUT_OF_MEMORY]

/** Cancelled for its duration, or larger than the database has space for. */
function isTooMuch(error: unknown): boolean {
  return TOO_MUCH.includes(sqlState(error) ?? '')
}
