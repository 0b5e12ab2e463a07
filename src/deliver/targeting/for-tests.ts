// For tests in a sandbox: a place and a user that fit every persona. The index is kept four times: with complete
// personas, and without their places, without their demography, and without both. A real service has only the first.

import { EVERYWHERE, type Targeting } from '../../manage/personas/matched-form.ts'
import { createTargetingIndex, type TargetingIndex } from './index-tree.ts'
import { type AdRequest, ANYWHERE } from './request.ts'

export function createIndexForTests(random?: () => number): TargetingIndex {
  const plain = createTargetingIndex(random)
  const lenient = [
    { index: createTargetingIndex(random), isAnywhere: true, isAnyone: false },
    { index: createTargetingIndex(random), isAnywhere: false, isAnyone: true },
    { index: createTargetingIndex(random), isAnywhere: true, isAnyone: true },
  ]

  function indexFor(request: AdRequest): TargetingIndex {
    const isAnywhere = request.country === ANYWHERE
    const isAnyone = request.isAnyone === true
    return lenient.find(one => one.isAnywhere === isAnywhere && one.isAnyone === isAnyone)?.index ?? plain
  }

  return {
    get size() {
      return plain.size
    },
    has: plain.has,
    put(entry) {
      plain.put(entry)
      for (const { index, isAnywhere, isAnyone } of lenient)
        index.put({ ...entry, targeting: without(entry.targeting, isAnywhere, isAnyone) })
    },
    remove(pid) {
      for (const { index } of lenient) index.remove(pid)
      return plain.remove(pid)
    },
    prepare: request => indexFor(request).prepare(request),
    search: (prepared, ...how) => indexFor(prepared.request).search(prepared, ...how),
    searchBest: (prepared, ...how) => indexFor(prepared.request).searchBest(prepared, ...how),
    stats: plain.stats,
  }
}

function without(targeting: Targeting, isAnywhere: boolean, isAnyone: boolean): Targeting {
  return {
    ...targeting,
    ...(isAnywhere ? { geo: { places: [{ country: EVERYWHERE }] } } : {}),
    ...(isAnyone ? { gender: null, age: null } : {}),
  }
}
