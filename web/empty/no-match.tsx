// A list that has rows, none of which is shown: by a search, by filters, or because a part of it is empty.

import { Button } from '@mantine/core'
import { t } from '../words/words.ts'
import { Tile } from './tile.tsx'

export type Hidden = 'search' | 'filters' | 'part'

interface NoMatchProps {
  by: Hidden
  search: string
  /** How many rows there would be without. */
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
