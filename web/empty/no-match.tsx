// A list that has rows, none of which was searched for.

import { Button } from '@mantine/core'
import { t } from '../words/words.ts'
import { Tile } from './tile.tsx'

interface NoMatchProps {
  /** Empty: the filters alone hide all rows. */
  search: string
  /** How many rows there are. */
  count: number
  onClear: () => void
}

export function NoMatch({ search, count, onClear }: NoMatchProps) {
  const isSearch = search.trim() !== ''
  return (
    <Tile
      bare
      title={isSearch ? t('empty.noMatch', { search: search.trim() }) : t('empty.filtered')}
      about={t(isSearch ? 'empty.noMatchAbout' : 'empty.filteredAbout', { count })}
    >
      <Button variant="default" onClick={onClear}>
        {t(isSearch ? 'empty.clearSearch' : 'table.noFilters')}
      </Button>
    </Tile>
  )
}
