// What was not counted, by reason, next to what was.

import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { integer } from '../format/format.ts'
import { usePeriod } from '../period/use-period.ts'
import { useCuid } from '../session/session.ts'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'
import { metricName } from './figures.ts'
import type { Subject } from './subject.ts'

export function FilteredPanel({ subject }: { subject: Subject }) {
  const cuid = useCuid()
  const { startS: start, endS: end } = usePeriod()
  const query = useQuery({
    queryKey: ['filtered', cuid, subject.id, start, end],
    queryFn: () => api.readFiltered({ cuid, id: subject.id, start, end }),
  })
  return (
    <Panel title={t('stats.filtered')} about={t('stats.filteredAbout')}>
      {query.isPending && <Waiting height={120} />}
      {query.error && <Refused error={query.error} onRetry={() => query.refetch()} />}
      {query.data?.filtered.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('stats.nothingFiltered')}
        </Text>
      )}
      {query.data && query.data.filtered.length > 0 && (
        <Table verticalSpacing={8} horizontalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('stats.reason')}</Table.Th>
              <Table.Th ta="end">{metricName('imps')}</Table.Th>
              <Table.Th ta="end">{metricName('clicks')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {query.data.filtered.map(row => (
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
