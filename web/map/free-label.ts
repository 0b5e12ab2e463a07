// Names on the map: where there is room for another one.

export interface Label {
  x: number
  y: number
  name: string
}

const LINE_PX = 14
export const LETTER_PX = 6.2

const endOf = ({ x, name }: Label) => x + (name.length + 2) * LETTER_PX

/** Whether it overlaps none of the others: names are written to the right of their points. */
export function isFree(label: Label, others: readonly Label[]): boolean {
  return others.every(
    other => Math.abs(other.y - label.y) > LINE_PX || label.x > endOf(other) || other.x > endOf(label),
  )
}
