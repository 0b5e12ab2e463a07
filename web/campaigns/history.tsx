// The changes to a campaign and everything beneath it, latest first: who changed what, and each field before and after
// as its form shows it.

import { Text, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { HistoryEntry } from '../../src/manage/campaigns/contract.ts'
import { api } from '../api/client.ts'
import { Changes } from '../format/changes.tsx'
import { dateTime } from '../format/format.ts'
import { whoDid } from '../format/who-did.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { type Session, useSession } from '../session/session.ts'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { isWord, named, t } from '../words/words.ts'
import { canUndo, UndoButton } from './undo-button.tsx'

const SHOWN = 200

export function History({ cuid, cid }: { cuid: number; cid: number }) {
  const session = useSession()
  const may = useMay()
  const zone = useZone()
  const history = useQuery({
    queryKey: ['history', cuid, cid],
    queryFn: () => api.readCampaignHistory({ cuid, cid }),
    staleTime: 0,
  })
  if (history.isPending) return <Waiting height={240} />
  if (!history.data) return <Refused error={history.error} onRetry={() => history.refetch()} />
  const entries = history.data.toReversed().slice(0, SHOWN)
  return (
    <Panel title={t('campaigns.history')}>
      {entries.length === 0 && <Nothing icon="calendar" title={t('campaigns.noHistory')} />}
      <Timeline bulletSize={14} lineWidth={2}>
        {entries.map(entry => (
          <Timeline.Item
            key={entry.id}
            title={
              <Text size="sm" fw="var(--strong)" style={{ overflowWrap: 'anywhere' }}>
                {sentenceOf(entry, session)}
              </Text>
            }
          >
            <Text size="xs" c="dimmed">
              {dateTime(entry.at, zone)}
            </Text>
            {entry.before && <Changes before={entry.before as Fields} after={entry.after as Fields | null} />}
            {may.edit && canUndo(entry, history.data) && (
              <UndoButton cuid={cuid} entry={entry} sentence={sentenceOf(entry, session)} />
            )}
          </Timeline.Item>
        ))}
      </Timeline>
    </Panel>
  )
}

type Fields = Record<string, unknown>

function sentenceOf(entry: HistoryEntry, session: Session): string {
  const { name, text } = (entry.after ?? entry.before ?? {}) as Fields
  const said = name ?? text
  const word = `history.${entry.action}`
  const values = {
    who: whoDid(entry.by, session, entry.actor),
    noun: named('theNoun', entry.noun),
    name: typeof said === 'string' ? said : String(entry.nounId),
  }
  return t(isWord(word) ? word : 'history.edit', values)
}
