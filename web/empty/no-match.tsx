// A list that has rows but shows none: because of a search or filters, or because the chosen part is empty.

import { Button } from '@mantine/core'
import { t } from '../words/words.ts'
import { Tile } from './tile.tsx'

export type Hidden = 'search' | 'filters' | 'part'

interface NoMatchProps {
  by: Hidden
  search: string
  /** How many rows there would be otherwise. */
  count: number
  onClear: () => void
}

const CLEAR = { search: 'empty.clearSearch', filters: 'table.noFilters', part: 'empty.showAll' } as const

export function NoMatch({ by, search, count, onClear }: NoMatchProps) {
  return (
    <Tile bare title={t(`empty.${by}`, { search: search.trim() })} about={t(`empty.${by}About`, { count })}>
      <Button variant="default" onClick={onClear}>
        {t(CLEAR[by])}
      </Button>
    </Tile>
  )
}
