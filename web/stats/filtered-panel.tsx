// What was not counted: one line with the numbers and the main reason; all reasons are one click away.

import './filtered.css'
import { Button, Table } from '@mantine/core'
import { useId, useState } from 'react'
import { integer } from '../format/format.ts'
import { Icon } from '../shell/icon.tsx'
import { Refused } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'
import { metricName } from './figures.ts'
import { type FilteredRow, filteredSum } from './filtered-sum.ts'
import type { FiguresQuery } from './use-figures.ts'

export function FilteredPanel({ figures }: { figures: FiguresQuery }) {
  const { data, error, refetch } = figures
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  if (!data && error) return <Refused error={error} onRetry={() => refetch()} />
  const filtered = data?.filtered
  if (!filtered) return null
  return (
    <section className="filtered" aria-label={t('stats.filtered')}>
      <div className="filtered-line">
        <Icon name={filtered.length > 0 ? 'stop' : 'check'} />
        <p>
          <b>{t('stats.filteredHead')}</b> {sentenceOf(filtered)}
        </p>
        {filtered.length > 0 && (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            {t('stats.reasons')}
          </Button>
        )}
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen && <Reasons rows={filtered} />}
      </div>
    </section>
  )
}

function sentenceOf(rows: readonly FilteredRow[]): string {
  const { imps, clicks, actions, main, share } = filteredSum(rows)
  if (!main) return t('stats.nothingFiltered')
  const refused = [
    ...(imps > 0 ? [t('stats.filteredImps', { count: imps })] : []),
    ...(clicks > 0 ? [t('stats.filteredClicks', { count: clicks })] : []),
    ...(actions > 0 ? [t('stats.filteredActions', { count: actions })] : []),
  ].join(t('stats.and'))
  const word = share >= 1 ? 'stats.filteredAll' : share > 0.9 ? 'stats.filteredNearly' : 'stats.filteredMost'
  return `${t('stats.filteredSum', { refused })} ${t(word, { reason: named('reason', main) })}`
}

function Reasons({ rows }: { rows: readonly FilteredRow[] }) {
  return (
    <Table verticalSpacing={8} horizontalSpacing={4} maw={480} mb="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('stats.reason')}</Table.Th>
          <Table.Th ta="end">{metricName('imps')}</Table.Th>
          <Table.Th ta="end">{metricName('clicks')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(row => (
          <Table.Tr key={row.reason}>
            <Table.Td>{named('reason', row.reason)}</Table.Td>
            <Table.Td ta="end">{integer(row.imps)}</Table.Td>
            <Table.Td ta="end">{integer(row.clicks)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
