// Verifies that everything that was counted agrees: events, the money billed to shares, limits above days, accounts,
// and the figures of statements, summaries and breakdowns. Reads one state of the database while the service runs. It
// changes nothing but a note of the outcome, which a replica does not get.

import type { Database, Db } from '../../platform/database.ts'
import { selectWrongAccounts, selectWrongPools } from './pool-queries.ts'
import {
  beginVerification,
  type Difference,
  isReadOnly,
  noteVerified,
  type Since,
  selectDifferences,
  selectLost,
  selectOvergranted,
  selectSince,
  selectUnpaid,
} from './queries.ts'

export { selectVerifiedAt } from './queries.ts'

export interface VerifyOptions {
  timeZone: string
  clickWindowS: number
}

export interface Check {
  check: string
  /** The names of the two sides of a difference. */
  sides: [left: string, right: string]
  differences: Difference[]
  /** Whether there are more differences than are shown. */
  isMore: boolean
}

export const MOST_SHOWN = 100
const LONGEST_MS = 6 * 3_600_000

type Look = (tx: Db, since: Since, zone: string, most: number) => Promise<Difference[]>

const CHECKS: [check: string, sides: Check['sides'], look: Look][] = [
  ['leaves', ['rows', ''], (tx, _since, _zone, most) => selectLost(tx, most)],
  ['shares', ['events', 'shares'], (tx, _since, _zone, most) => selectUnpaid(tx, most)],
  ['budgets', ['budget', 'shares'], (tx, _since, _zone, most) => selectOvergranted(tx, most)],
  ['pools', ['pool', 'shares and figures'], (tx, _since, _zone, most) => selectWrongPools(tx, most)],
  ['accounts', ['accounts', 'figures'], (tx, _since, zone, most) => selectWrongAccounts(tx, zone, most)],
  [
    'statements',
    ['events', 'statements'],
    (tx, since, zone, most) => selectDifferences(tx, 'statements', zone, since, most),
  ],
  [
    'summaries',
    ['statements', 'summaries'],
    (tx, since, zone, most) => selectDifferences(tx, 'summaries', zone, since, most),
  ],
  [
    'breakdowns',
    ['statements', 'breakdowns'],
    (tx, since, zone, most) => selectDifferences(tx, 'breakdowns', zone, since, most),
  ],
]

export async function verify(db: Database, { timeZone, clickWindowS }: VerifyOptions): Promise<Check[]> {
  const checks = await db.transaction(async tx => {
    await beginVerification(tx, LONGEST_MS)
    const since = await selectSince(tx, timeZone, clickWindowS)
    const done: Check[] = []
    for (const [check, sides, look] of CHECKS) {
      const found = await look(tx, since, timeZone, MOST_SHOWN + 1)
      done.push({ check, sides, differences: found.slice(0, MOST_SHOWN), isMore: found.length > MOST_SHOWN })
    }
    return done
  }, LONGEST_MS)
  if (!(await isReadOnly(db))) await noteVerified(db, agrees(checks) ? 'agree' : 'differ')
  return checks
}

export function agrees(checks: Check[]): boolean {
  return checks.every(({ differences }) => differences.length === 0)
}
