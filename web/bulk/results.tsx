// Progress and results of a bulk change: a bar while it runs, then one line per object, refusals first.

import { Alert, Button, Group, Progress, Stack, Table, Text } from '@mantine/core'
import { Icon } from '../shell/icon.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import { t } from '../words/words.ts'

export interface RowResult {
  id: number
  name: string
  /** Null: the change was made. */
  refusal: string | null
}

export function BulkProgress({ done, of }: { done: number; of: number }) {
  return (
    <Stack gap={6} role="status">
      <Text size="sm">{t('bulk.progress', { done, of })}</Text>
      <Progress value={(done / of) * 100} aria-label={t('bulk.progress', { done, of })} />
    </Stack>
  )
}

interface BulkResultsProps {
  results: readonly RowResult[]
  onClose: () => void
  /** Undoes the whole change. */
  onUndo?: (() => void) | undefined
}

export function BulkResults({ results, onClose, onUndo }: BulkResultsProps) {
  const refused = results.filter(({ refusal }) => refusal !== null)
  const done = results.length - refused.length
  const inOrder = [...refused, ...results.filter(({ refusal }) => refusal === null)]
  return (
    <Stack>
      <Alert
        role="status"
        color={refused.length > 0 ? 'yellow' : 'green'}
        icon={<Icon name={refused.length > 0 ? 'warning' : 'check'} />}
        title={t('bulk.done', { count: done })}
      >
        {refused.length > 0 && t('bulk.refused', { count: refused.length })}
      </Alert>
      <Table.ScrollContainer minWidth={360} maxHeight={320}>
        <Table aria-label={t('bulk.results')}>
          <Table.Tbody>
            {inOrder.map(({ id, name, refusal }) => (
              <Table.Tr key={id}>
                <Table.Th scope="row">{name}</Table.Th>
                <Table.Td>
                  <StatusBadge status={refusal === null ? 'done' : 'failed'} />
                </Table.Td>
                <Table.Td>{refusal}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Group justify="flex-end">
        {onUndo && (
          <Button variant="default" onClick={onUndo}>
            {t('form.undo')}
          </Button>
        )}
        <Button onClick={onClose}>{t('form.close')}</Button>
      </Group>
    </Stack>
  )
}
