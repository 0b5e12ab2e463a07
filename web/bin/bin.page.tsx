// The deleted objects that can still be restored, latest first, with who deleted each and until when it is kept.

import { Button, Group, Paper, Text } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { date, dateTime } from '../format/format.ts'
import { whoDid } from '../format/who-did.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { useCuid, useSession } from '../session/session.ts'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { searchRows } from '../table/column.ts'
import { SearchField } from '../table/search-field.tsx'
import { named, t } from '../words/words.ts'
import './bin.css'
import type { DeletedObject } from '../../src/manage/campaigns/bin/contract.ts'
import { api } from '../api/client.ts'

const DAY_S = 86_400
const SHOWN_AT_ONCE = 100
/** Fewer rows can be seen at a glance. */
const WORTH_A_SEARCH = 8
const textOf = (row: DeletedObject) => `${row.name} ${row.campaign} ${named('bin.noun', row.noun)}`

export function BinPage() {
  const cuid = useCuid()
  const { restorableFor } = useSession()
  const bin = useQuery(binQuery(cuid))
  const count = Math.floor(restorableFor / DAY_S)
  return (
    <>
      <PageHead title={t('bin.title')} crumbs={[{ name: t('campaigns.title'), to: '/campaigns' }]} />
      {bin.isPending && <Waiting height={300} />}
      {bin.error && <Refused error={bin.error} onRetry={() => bin.refetch()} />}
      {bin.data?.length === 0 && (
        <Nothing icon="trash" title={t('bin.none')} about={t('bin.noneAbout', { count })} />
      )}
      {bin.data && bin.data.length > 0 && (
        <>
          <Text size="sm" c="dimmed" mb="md">
            {t('bin.about', { count })}
          </Text>
          <Found cuid={cuid} rows={bin.data} />
        </>
      )}
    </>
  )
}

function Found({ cuid, rows }: { cuid: number; rows: readonly DeletedObject[] }) {
  const [search, setSearch] = useState('')
  const [shown, setShown] = useState(SHOWN_AT_ONCE)
  const found = searchRows(rows, textOf, search).toReversed()
  return (
    <Paper p="lg">
      {rows.length >= WORTH_A_SEARCH && (
        <Group mb="sm">
          <SearchField value={search} onChange={setSearch} w={{ base: '100%', xs: 220 }} />
          <Text size="sm" c="dimmed" role="status">
            {t('table.rows', { count: found.length })}
          </Text>
        </Group>
      )}
      <ul className="bin" aria-label={t('bin.title')}>
        {found.slice(0, shown).map(row => (
          <Row key={row.id} cuid={cuid} row={row} />
        ))}
      </ul>
      {found.length > shown && (
        <Button variant="default" mt="sm" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
          {t('bin.more')}
        </Button>
      )}
    </Paper>
  )
}

function Row({ cuid, row }: { cuid: number; row: DeletedObject }) {
  const zone = useZone()
  const session = useSession()
  const may = useMay()
  const noun = named('bin.noun', row.noun)
  const where = row.noun === 'campaign' ? noun : t('bin.of', { noun, campaign: row.campaign })
  const when = { when: dateTime(row.deletedAt, zone), who: whoDid(row.by, session) }
  return (
    <li>
      <div>
        <Text fw="var(--strong)">{row.name}</Text>
        <Text size="sm">{where}</Text>
        <Text size="xs" c="dimmed">
          {t('bin.deleted', when)} · {t('bin.until', { day: date(row.restorableUntil, zone) })}
        </Text>
      </div>
      {may.edit && <RestoreButton cuid={cuid} row={row} />}
    </li>
  )
}

function RestoreButton({ cuid, row }: { cuid: number; row: DeletedObject }) {
  const notice = useNotice()
  const restoring = useRestore(cuid)
  const restore = async () => {
    // The row unmounts as soon as the bin is read again, and callbacks passed to `mutate` would never run.
    try {
      await restoring.mutateAsync(row)
      notice.done(t('bin.restored', { name: row.name }))
    } catch (error) {
      notice.refused(error as Error)
    }
  }
  return (
    <Button
      variant="default"
      loading={restoring.isPending}
      aria-label={t('bin.restoreNamed', { name: row.name })}
      onClick={restore}
    >
      {t('bin.restore')}
    </Button>
  )
}

const binQuery = (cuid: number) =>
  queryOptions({
    queryKey: ['bin', cuid],
    queryFn: () => api.listDeleted({ cuid }),
    // Other pages delete objects.
    staleTime: 0,
  })

function restore(cuid: number, { noun, nounId, cid, pid }: DeletedObject): Promise<unknown> {
  if (noun === 'campaign') return api.restoreCampaign({ cuid, cid })
  if (noun === 'flight') return api.restoreFlight({ cuid, cid, fid: nounId })
  if (noun === 'persona') return api.restorePersona({ cuid, cid, pid: nounId })
  return api.restoreBanner({ cuid, cid, pid: pid!, bid: nounId })
}

/** The bin as its page reads it, and how each noun is restored. */
function useRestore(cuid: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (row: DeletedObject) => restore(cuid, row),
    // Many pages show the restored object. Objects below it that were deleted earlier now appear in the bin.
    onSettled: () => client.invalidateQueries(),
  })
}
