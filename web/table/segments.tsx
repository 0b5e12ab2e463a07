// A list in a few segments that one click chooses, each with its number of rows. The choice is kept in the address.

import { SegmentedControl } from '@mantine/core'
import { useMemo } from 'react'
import { integer } from '../format/format.ts'
import { t } from '../words/words.ts'
import { useAddressChoice } from './address-state.ts'

/** `has` undefined: all rows. */
export interface Segment<Row> {
  id: string
  word: string
  has?: (row: Row) => boolean
}

const NONE: readonly string[] = ['all']

export function useSegment<Row>(
  table: string,
  segments: readonly Segment<Row>[] | undefined,
  rows: readonly Row[],
) {
  const ids = useMemo(() => segments?.map(({ id }) => id) ?? NONE, [segments])
  const [chosen, choose] = useAddressChoice(`${table}.show`, ids, ids[0]!)
  const inside = useMemo(() => {
    const has = segments?.find(({ id }) => id === chosen)?.has
    return has ? rows.filter(has) : rows
  }, [segments, chosen, rows])
  return { chosen, choose, inside, first: ids[0]! }
}

interface SegmentsProps<Row> {
  segments: readonly Segment<Row>[]
  rows: readonly Row[]
  chosen: string
  onChoose: (id: string) => void
}

export function Segments<Row>({ segments, rows, chosen, onChoose }: SegmentsProps<Row>) {
  return (
    <SegmentedControl
      className="desk"
      aria-label={t('table.show')}
      value={chosen}
      onChange={onChoose}
      data={segments.map(({ id, word, has }) => ({
        value: id,
        label: `${word} ${integer(has ? rows.filter(has).length : rows.length)}`,
      }))}
    />
  )
}
