// Rows whose leaf the database does not have, or has for another campaign. A database that went back in time under a
// process of an older version has them. They are not dropped: their customer and campaign are known, so they get a leaf
// of those, with an unknown flight (the lost number, negative), persona and banner (0).

import type { Database } from '../../platform/database.ts'
import {
  adoptLeaf,
  insertLostLeaves,
  type LostLeaf,
  moveEvents,
  moveFresh,
  selectLostLeaves,
} from './lost-queries.ts'

/** How many leaves of this part were lost. */
export function repairLeaves(db: Database, part: number): Promise<number> {
  return db.transaction(async tx => {
    const lost = await selectLostLeaves(tx, part)
    if (lost.length === 0) return 0
    await insertLostLeaves(tx, firstOfEach(lost))
    // What is lost still is taken by another campaign.
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
