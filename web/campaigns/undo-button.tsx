// Takes one change of the history back, after a question that shows what becomes of it.

import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { HistoryEntry } from '../../src/campaigns/contract.ts'
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
  /** What was done, as the history says it. */
  sentence: string
}

/**
 * Of each object the last change, unless the service made it by itself: the review decides again, if need be. Notes are
 * changed where they stand.
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
    // After a conflict the history is longer, and this entry is no longer the last.
    onError: error => {
      setAsking(false)
      notice.refused(error)
    },
    // What it changed is shown on other pages, too.
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
