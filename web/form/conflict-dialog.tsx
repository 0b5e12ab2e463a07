// Someone else saved first: their values and the ones typed here, side by side, to choose from.

import { Button, Group, Radio, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { fieldName, useFieldValue } from '../format/field-words.ts'
import { t } from '../words/words.ts'
import { Dialog } from './dialog.tsx'
import type { Conflict } from './use-edit.ts'

interface ConflictDialogProps {
  conflict: Conflict
  busy: boolean
  onKeep: (fields: readonly string[]) => void
}

export function ConflictDialog({ conflict, busy, onKeep }: ConflictDialogProps) {
  const { rows } = conflict
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set())
  const textOf = useFieldValue()
  const choose = (field: string, which: string) => {
    const next = new Set(theirs)
    if (which === 'theirs') next.add(field)
    else next.delete(field)
    setTheirs(next)
  }
  const kept = rows.filter(row => row.yours !== undefined && !theirs.has(row.field)).map(row => row.field)
  return (
    <Dialog opened onClose={conflict.cancel} size="xl" title={t('form.conflictTitle')}>
      <Stack>
        <Text size="sm">{t('form.conflictAbout')}</Text>
        <Table.ScrollContainer minWidth={460}>
          <Table verticalSpacing="sm" layout="fixed" style={{ overflowWrap: 'anywhere' }}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th w="24%">{t('form.conflictField')}</Table.Th>
                <Table.Th>{t('form.conflictTheirs')}</Table.Th>
                <Table.Th>{t('form.conflictYours')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(row => (
                <Table.Tr key={row.field}>
                  <Table.Th scope="row">{fieldName(row.field)}</Table.Th>
                  {row.yours === undefined ? (
                    <>
                      <Table.Td>{textOf(row.field, row.theirs)}</Table.Td>
                      <Table.Td>
                        <Text size="sm" c="dimmed">
                          {t('form.only')}
                        </Text>
                      </Table.Td>
                    </>
                  ) : (
                    (['theirs', 'yours'] as const).map(which => (
                      <Table.Td key={which}>
                        <Radio
                          name={row.field}
                          value={which}
                          checked={theirs.has(row.field) === (which === 'theirs')}
                          label={textOf(row.field, row[which])}
                          onChange={() => choose(row.field, which)}
                        />
                      </Table.Td>
                    ))
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        <Group justify="flex-end">
          <Button variant="default" onClick={conflict.takeTheirs}>
            {t('form.conflictTakeAll')}
          </Button>
          <Button loading={busy} onClick={() => onKeep(kept)} data-autofocus>
            {t('form.conflictSave')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
