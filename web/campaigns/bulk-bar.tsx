// What can be done with the selected campaigns: raise or lower all budgets, with the old and the new total; pause,
// edit, copy, delete. Each is one action and can be undone as one.

import { Button } from '@mantine/core'
import { useState } from 'react'
import { Confirm } from '../form/confirm.tsx'
import { decimal, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { nowMs } from '../sandbox/clock.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { OnOffButtons } from '../table/on-off.tsx'
import { t } from '../words/words.ts'
import { applyTo } from './bulk-apply.ts'
import { backOperationsOf, NO_CHANGE, operationsOf, totalsOf } from './bulk-change.ts'
import { BulkEdit, namesOf } from './bulk-edit.tsx'
import { type Campaign, useCampaignsAnew, useCopyMany, useDeleteMany, useSwitchCampaigns } from './data.ts'

interface BulkBarProps {
  cuid: number
  chosen: readonly Campaign[]
  onDone: () => void
}

export function BulkBar({ cuid, chosen, onDone }: BulkBarProps) {
  const [isEditing, setEditing] = useState(false)
  const may = useMay()
  return (
    <>
      {may.edit && <Budgets cuid={cuid} chosen={chosen} />}
      <span className="part">
        {may.edit && (
          <Button size="xs" variant="subtle" color="gray" onClick={() => setEditing(true)}>
            {t('bulk.edit')}
          </Button>
        )}
        <Switches cuid={cuid} chosen={chosen} onDone={onDone} />
        {may.edit && <Copy cuid={cuid} chosen={chosen} onDone={onDone} />}
        {may.edit && <Delete cuid={cuid} chosen={chosen} onDone={onDone} />}
      </span>
      {isEditing && (
        <BulkEdit cuid={cuid} chosen={chosen} onDone={onDone} onClose={() => setEditing(false)} />
      )}
    </>
  )
}

const STEPS = [10, 20, 50, -10, -20, -50] as const
const stepText = (percent: number) => `${percent > 0 ? '+' : '−'}${decimal(Math.abs(percent), 0)} %`

function Budgets({ cuid, chosen }: Omit<BulkBarProps, 'onDone'>) {
  const [percent, setPercent] = useState<number>(STEPS[0])
  const [isBusy, setBusy] = useState(false)
  const zone = useZone()
  const anew = useCampaignsAnew(cuid)
  const notice = useNotice()
  const change = { ...NO_CHANGE, budget: String(percent), budgetBy: 'percent' as const }
  const where = { nowS: nowMs() / 1000, timeZone: zone }
  const { before, after } = totalsOf(chosen, change, where).daily
  const run = async (campaigns: readonly Campaign[], etags?: ReadonlyMap<number, string>) => {
    setBusy(true)
    try {
      const applied = await applyTo(
        cuid,
        campaigns,
        one =>
          etags ? backOperationsOf(one, change, etags.get(one.cid), where) : operationsOf(one, change, where),
        zone,
        () => {},
      )
      if (applied.refusals.size > 0) notice.someRefused([...applied.refusals.values()])
      const changed = campaigns.filter(({ cid }) => applied.etags.has(cid))
      if (changed.length > 0 && !etags) {
        notice.undo(t('bulk.done', { count: changed.length }), () => void run(changed, applied.etags))
      }
    } catch (error) {
      notice.refused(error as Error)
    } finally {
      setBusy(false)
      anew()
    }
  }
  return (
    <span className="part">
      <label className="q">
        {t('bulk.budgets')}{' '}
        <select value={percent} onChange={event => setPercent(Number(event.currentTarget.value))}>
          {STEPS.map(step => (
            <option key={step} value={step}>
              {stepText(step)}
            </option>
          ))}
        </select>
      </label>
      <span role="status">
        {t('bulk.from', { before: money(before) })} <b>{t('bulk.to', { after: money(after) })}</b>
      </span>
      <Button size="xs" loading={isBusy} onClick={() => run(chosen)}>
        {t(percent > 0 ? 'bulk.raise' : 'bulk.lower', { count: chosen.length })}
      </Button>
    </span>
  )
}

function Switches({ cuid, chosen, onDone }: BulkBarProps) {
  const switching = useSwitchCampaigns(cuid)
  const notice = useNotice()
  const to = (enabled: boolean) =>
    switching.mutate(
      { cids: chosen.map(({ cid }) => cid), enabled },
      {
        onSuccess: count => {
          if (count > 0) notice.done(t(enabled ? 'campaigns.resumed' : 'campaigns.paused', { count }))
          onDone()
        },
        onError: notice.refused,
      },
    )
  return <OnOffButtons isBare pending={switching.isPending} onSwitch={to} />
}

function Copy({ cuid, chosen, onDone }: BulkBarProps) {
  const copying = useCopyMany(cuid)
  const deleting = useDeleteMany(cuid)
  const notice = useNotice()
  const copy = () =>
    copying.mutate(chosen, {
      onSuccess: made => {
        if (made.length === 0) return
        notice.undo(t('bulk.copied', { count: made.length }), () => deleting.mutate({ cids: made }))
        onDone()
      },
      onError: notice.refused,
    })
  return (
    <Button
      size="xs"
      variant="subtle"
      color="gray"
      leftSection={<Icon name="copy" size={14} />}
      loading={copying.isPending}
      onClick={copy}
    >
      {t('form.copy')}
    </Button>
  )
}

function Delete({ cuid, chosen, onDone }: BulkBarProps) {
  const [isAsking, setAsking] = useState(false)
  const deleting = useDeleteMany(cuid)
  const notice = useNotice()
  const remove = () =>
    deleting.mutate(
      { cids: chosen.map(({ cid }) => cid) },
      {
        onSuccess: gone => {
          setAsking(false)
          if (gone.length === 0) return
          const back = () => deleting.mutate({ cids: gone, back: true })
          notice.undo(t('bulk.deleted', { count: gone.length }), back)
          onDone()
        },
      },
    )
  return (
    <>
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        className="danger"
        leftSection={<Icon name="trash" size={14} />}
        onClick={() => setAsking(true)}
      >
        {t('form.delete')}
      </Button>
      <Confirm
        opened={isAsking}
        title={t('bulk.deleteTitle', { count: chosen.length })}
        about={`${namesOf(chosen)}. ${t('bulk.deleteAbout', { count: chosen.length })}`}
        action={t('form.delete')}
        busy={deleting.isPending}
        error={deleting.error}
        onConfirm={remove}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
