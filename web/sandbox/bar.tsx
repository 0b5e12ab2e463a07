// The bar of a sandbox: its clock, and for staff the buttons that move it and send visitors.

import { Badge, Button, Group, Paper, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { createClient } from '../../sdk/client.ts'
import { createSandbox, type Sandbox } from '../../sdk/sandbox.ts'
import { apiRoot } from '../api/client.ts'
import { fetchAsApp } from '../api/session-fetch.ts'
import { campaignQuery } from '../campaigns/data.ts'
import { readNumber, writeNumber } from '../form/number.ts'
import { dateTime } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { addDays, dayOf, startOfDay } from '../period/zone.ts'
import { useSession } from '../session/session.ts'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'

const sandbox = createSandbox(createClient({ baseUrl: apiRoot, fetch: fetchAsApp }))
const PER_HOUR = 100
const MOST_PER_HOUR = 100_000

/** Resolves to the message about the result. */
type Move = (clock: Sandbox) => Promise<string>

export function SandboxBar({ nowS }: { nowS: number }) {
  const { staff } = useSession()
  const zone = useZone()
  return (
    <Paper component="section" withBorder p="xs" mb="md" aria-label={t('sandbox.bar')}>
      <Group gap="xs">
        <Badge variant="default">{t('sandbox.name')}</Badge>
        <Text size="sm" fw="var(--strong)">
          {dateTime(nowS, zone)}
        </Text>
        {staff ? (
          <Controls nowS={nowS} zone={zone} />
        ) : (
          <Text size="sm" c="dimmed">
            {t('sandbox.stands')}
          </Text>
        )}
      </Group>
    </Paper>
  )
}

function Controls({ nowS, zone }: { nowS: number; zone: string }) {
  const client = useQueryClient()
  const notice = useNotice()
  const endS = useCampaignEnd(nowS)
  const [perHour, setPerHour] = useState(writeNumber(PER_HOUR, 0))
  const read = readNumber(perHour, 0)
  const visitors = 'value' in read && read.value >= 1 && read.value <= MOST_PER_HOUR ? read.value : null
  const moving = useMutation({
    mutationFn: ({ move }: { word: string; move: Move }) => move(sandbox),
    onSuccess: notice.done,
    onError: notice.refused,
    onSettled: () => client.invalidateQueries(),
  })
  const goTo =
    (time: number): Move =>
    async clock => {
      const { events } = await clock.advanceTo(time)
      return t('sandbox.moved', { count: events.length })
    }
  const letCome: Move = async clock => {
    const { counted } = await clock.traffic({ perHour: visitors ?? PER_HOUR })
    return t('sandbox.visited', {
      imps: t('balance.imps', { count: counted.imps }),
      clicks: t('balance.clicks', { count: counted.clicks }),
    })
  }
  const button = (word: string, move: Move, isOff = false) => (
    <Button
      size="compact-sm"
      variant="default"
      disabled={isOff || moving.isPending}
      loading={moving.isPending && moving.variables.word === word}
      onClick={() => moving.mutate({ word, move })}
    >
      {word}
    </Button>
  )
  return (
    <>
      {button(t('sandbox.hour'), goTo(nowS + 3600))}
      {button(t('sandbox.day'), goTo(nowS + 86_400))}
      {button(t('sandbox.midnight'), goTo(startOfDay(addDays(dayOf(nowS, zone), 1), zone)))}
      {endS !== null && button(t('sandbox.end'), goTo(endS))}
      <Group gap={6} wrap="nowrap">
        <TextInput
          size="xs"
          w={90}
          inputMode="numeric"
          aria-label={t('sandbox.perHour')}
          value={perHour}
          onChange={event => setPerHour(event.currentTarget.value)}
        />
        {button(t('sandbox.visitors'), letCome, visitors === null)}
      </Group>
      <span role="status" className="visually-hidden">
        {moving.isPending ? t('sandbox.moving') : ''}
      </span>
    </>
  )
}

/** The end of the campaign on the page, if it is still to come. */
function useCampaignEnd(nowS: number): number | null {
  const { customer } = useSession()
  const { cid } = useParams({ strict: false }) as { cid?: number | string }
  const isThere = customer !== null && cid !== undefined
  const { data } = useQuery({ ...campaignQuery(customer?.cuid ?? 0, Number(cid)), enabled: isThere })
  return isThere && data && data.end > nowS ? data.end : null
}
