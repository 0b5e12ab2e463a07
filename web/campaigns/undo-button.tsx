// Undoes one change of the history, after a question that shows the result.

import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { HistoryEntry } from '../../src/manage/campaigns/contract.ts'
import { api } from '../api/client.ts'
import { Dialog } from '../form/dialog.tsx'
import { useOnce } from '../form/once.ts'
import { Changes } from '../format/changes.tsx'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'

type Fields = Record<string, unknown>

interface UndoProps {
  cuid: number
  entry: HistoryEntry
  /** The change in the words of the history. */
  sentence: string
}

/**
 * Whether a change can be undone: only the last one of each object, and none that the service made by itself, since a
 * review is repeated if needed. Notes are changed in the chart.
 */
export function canUndo(entry: HistoryEntry, entries: readonly HistoryEntry[]): boolean {
  const last = entries.findLast(({ noun, nounId }) => noun === entry.noun && nounId === entry.nounId)
  return last?.id === entry.id && entry.by.kind !== 'service' && entry.noun !== 'note'
}

export function UndoButton({ cuid, entry, sentence }: UndoProps) {
  const [asking, setAsking] = useState(false)
  const client = useQueryClient()
  const notice = useNotice()
  const navigate = useNavigate()
  const undoing = useMutation({
    mutationFn: () => api.undoChange({ cuid, id: entry.id }),
    onSuccess: async ({ noun, by }) => {
      setAsking(false)
      notice.done(t('history.undone'))
      if (noun === 'campaign' && by === 'delete') await navigate({ to: '/campaigns' })
    },
    // After a conflict the history has grown, and this entry is no longer the last.
    onError: error => {
      setAsking(false)
      notice.refused(error)
    },
    // Other pages show the changed object too.
    onSettled: () => client.invalidateQueries(),
  })
  const undo = useOnce(undoing.isPending, () => undoing.mutate())
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        mt={6}
        aria-label={t('history.undoNamed', { what: sentence })}
        onClick={() => setAsking(true)}
      >
        {t('history.undo')}
      </Button>
      <Dialog opened={asking} onClose={() => setAsking(false)} title={t('history.undoTitle')}>
        <Stack>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {sentence}
          </Text>
          {entry.before && entry.after ? (
            <Changes before={entry.after as Fields} after={entry.before as Fields} />
          ) : (
            <Text size="sm">{t(entry.before ? 'history.undoDeletion' : 'history.undoCreation')}</Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              {t('form.cancel')}
            </Button>
            <Button loading={undoing.isPending} onClick={undo}>
              {t('history.undo')}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}
