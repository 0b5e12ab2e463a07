// How far apart two short words are, for "did you mean". Words and distances are bounded.

const MAX_LENGTH = 64

/** Edits (insert, delete, replace, swap of neighbours) from a to b, or `max + 1` if there are more. */
export function editDistance(a: string, b: string, max: number): number {
  if (a === b) return 0
  if (a.length > MAX_LENGTH || b.length > MAX_LENGTH || Math.abs(a.length - b.length) > max) return max + 1
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const line = [row]
    let least = row
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(above[column - 1]! + (same ? 0 : 1), above[column]! + 1, line[column - 1]! + 1)
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, before[column - 2]! + 1)
      }
      line.push(cost)
      if (cost < least) least = cost
    }
    if (least > max) return max + 1
    before = above
    above = line
  }
  return Math.min(above[b.length]!, max + 1)
}

/** How many edits away a word of this length may be and still be meant. */
export function tolerance(word: string): number {
  if (word.length < 4) return 0
  return word.length < 8 ? 1 : 2
}

/** The items nearest to the word within its tolerance, nearest first, at most `limit`. */
export function nearest<Item>(
  word: string,
  items: Iterable<Item>,
  nameOf: (item: Item) => string,
  limit: number,
): Item[] {
  const max = tolerance(word)
  const found: { item: Item; distance: number }[] = []
  for (const item of items) {
    const distance = editDistance(word, nameOf(item), max)
    if (distance <= max) found.push({ item, distance })
  }
  found.sort((a, b) => a.distance - b.distance)
  return found.slice(0, limit).map(({ item }) => item)
}
