// What was not counted, by reason, next to what was.

import { Table, Text } from '@mantine/core'
import { integer } from '../format/format.ts'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'
import { metricName } from './figures.ts'
import type { FiguresQuery } from './use-figures.ts'

export function FilteredPanel({ figures }: { figures: FiguresQuery }) {
  const { data, error, refetch } = figures
  const filtered = data?.filtered
  return (
    <Panel title={t('stats.filtered')} about={t('stats.filteredAbout')}>
      {!data && !error && <Waiting height={120} />}
      {!data && error && <Refused error={error} onRetry={() => refetch()} />}
      {filtered?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('stats.nothingFiltered')}
        </Text>
      )}
      {filtered && filtered.length > 0 && (
        <Table verticalSpacing={8} horizontalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('stats.reason')}</Table.Th>
              <Table.Th ta="end">{metricName('imps')}</Table.Th>
              <Table.Th ta="end">{metricName('clicks')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {filtered.map(row => (
              <Table.Tr key={row.reason}>
                <Table.Td>{named('reason', row.reason)}</Table.Td>
                <Table.Td ta="end">{integer(row.imps)}</Table.Td>
                <Table.Td ta="end">{integer(row.clicks)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  )
}
