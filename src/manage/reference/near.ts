// How different two short words are, for "did you mean". The length of words and the distance are limited.

const MAX_LENGTH = 64

/** Rows of the table below, reused by each call. */
let [before, above, line] = [0, 0, 0].map(() => new Uint8Array(MAX_LENGTH + 1))

/**
 * The number of edits (insert, delete, replace, swap of neighbours) from a to b, or `max + 1` if there are more. Fills
 * in only those cells of the table of all prefixes that may be within `max`.
 */
export function editDistance(a: string, b: string, max: number): number {
  if (a === b) return 0
  const over = max + 1
  if (a.length > MAX_LENGTH || b.length > MAX_LENGTH || Math.abs(a.length - b.length) > max) return over
  for (let column = 0; column <= b.length; column++) above![column] = Math.min(column, over)
  for (let row = 1; row <= a.length; row++) {
    const [first, last] = [Math.max(1, row - max), Math.min(b.length, row + max)]
    line![first - 1] = first === 1 ? Math.min(row, over) : over
    let least = line![first - 1]!
    for (let column = first; column <= last; column++) {
      const cost = cellOf(a, b, row, column)
      line![column] = Math.min(cost, over)
      if (cost < least) least = cost
    }
    if (least > max) return over
    if (last < b.length) line![last + 1] = over
    ;[before, above, line] = [above, line, before]
  }
  return above![b.length]!
}

function cellOf(a: string, b: string, row: number, column: number): number {
  const [own, other] = [a.charCodeAt(row - 1), b.charCodeAt(column - 1)]
  let cost = above![column - 1]! + (own === other ? 0 : 1)
  cost = Math.min(cost, above![column]! + 1, line![column - 1]! + 1)
  if (row > 1 && column > 1 && own === b.charCodeAt(column - 2) && a.charCodeAt(row - 2) === other)
    cost = Math.min(cost, before![column - 2]! + 1)
  return cost
}

/** How many edits away a word of this length may be to count as a suggestion. */
export function tolerance(word: string): number {
  if (word.length < 4) return 0
  return word.length < 8 ? 1 : 2
}

/** The items nearest to the word within its tolerance, at most `limit`, nearest first. */
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
