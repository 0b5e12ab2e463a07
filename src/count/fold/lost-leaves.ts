// Repairs rows whose leaf the database does not have, or has for another campaign, as happens when a database goes back
// in time under a process of an older version. They are not dropped: their customer and campaign are known, so they get
// a leaf with these, an unknown flight (the lost number, negative), and unknown persona and banner (0).

import type { Database } from '../../platform/database.ts'
import {
  adoptLeaf,
  insertLostLeaves,
  type LostLeaf,
  moveEvents,
  moveFresh,
  selectLostLeaves,
} from './lost-queries.ts'

/** Returns how many leaves of this part were lost. */
export function repairLeaves(db: Database, part: number): Promise<number> {
  return db.transaction(async tx => {
    const lost = await selectLostLeaves(tx, part)
    if (lost.length === 0) return 0
    await insertLostLeaves(tx, firstOfEach(lost))
    // The numbers of leaves that are still lost were taken by other campaigns.
    for (const taken of await selectLostLeaves(tx, part)) {
      const leaf = await adoptLeaf(tx, taken)
      await moveFresh(tx, part, taken, leaf)
      await moveEvents(tx, taken, leaf)
    }
    return lost.length
  })
}

function firstOfEach(lost: LostLeaf[]): LostLeaf[] {
  return [...new Map(lost.map(row => [row.leaf, row])).values()]
}
