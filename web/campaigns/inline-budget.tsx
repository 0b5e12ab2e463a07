// The budget of a row, edited in place: Enter saves, Escape cancels. It is saved only over the version that was shown;
// if someone else saved first, both values are shown. There is one editor for the whole table, so that what is typed
// survives when the row scrolls out of view.

import { Button, Group, Popover, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useState } from 'react'
import type { Tagged } from '../api/client.ts'
import { ConflictDialog } from '../form/conflict-dialog.tsx'
import { Discard } from '../form/dialog.tsx'
import { type FieldErrors, useFieldErrors } from '../form/field-errors.ts'
import { numberToSend, writeNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { useOpenDialog } from '../form/open-dialogs.ts'
import { useUnsaved } from '../form/unsaved.ts'
import { useEdit } from '../form/use-edit.ts'
import { currencySign, exactMoney, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { nowMs } from '../sandbox/clock.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { isProposed } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import { budgetProblem } from './budget.ts'
import { amountOf } from './budget-draft.ts'
import { type Campaign, campaignQuery, useCampaignCalls } from './data.ts'
import { dailyOfMonth } from './months.ts'
import { useUnusual } from './unusual.tsx'

export type EditBudget = (campaign: Campaign, button: HTMLElement) => void

interface BudgetButtonProps {
  campaign: Campaign
  onEdit: EditBudget
  /** The text of the button, if not the budget alone. */
  text?: string
}

export function BudgetButton({ campaign, onEdit, text }: BudgetButtonProps) {
  const { name, dailySpend, monthlySpend } = campaign
  const daily = money(dailySpend)
  const budget = monthlySpend === null ? daily : t('campaigns.aMonth', { amount: money(monthlySpend), daily })
  return (
    <button
      type="button"
      className="inline-edit"
      aria-label={t('campaigns.editBudget', { name, budget })}
      onClick={event => onEdit(campaign, event.currentTarget)}
    >
      {text ?? daily}
      <Icon name="edit" size={13} />
    </button>
  )
}

interface Edited {
  campaign: Tagged<Campaign>
  button: HTMLElement
  /** Where the button was when it was pressed. */
  at: DOMRect
}

export function useBudgetEditor(): { edit: EditBudget; editor: ReactNode } {
  const [edited, setEdited] = useState<Edited | null>(null)
  const client = useQueryClient()
  const notice = useNotice()
  const edit = useCallback<EditBudget>(
    ({ cuid, cid }, button) =>
      void client
        .fetchQuery({ ...campaignQuery(cuid, cid), staleTime: 0 })
        .then(campaign => setEdited({ campaign, button, at: button.getBoundingClientRect() }))
        .catch(notice.refused),
    [client, notice.refused],
  )
  const close = () => {
    setEdited(null)
    edited?.button.focus()
  }
  const editor = edited && <Editor key={edited.campaign.cid} {...edited} onClose={close} />
  return { edit, editor }
}

const draftOf = ({ dailySpend, monthlySpend }: Campaign) => ({
  daily: writeNumber(dailySpend, 2),
  /** Null: it has no budget of a month, and gets none here. */
  monthly: monthlySpend === null ? null : writeNumber(monthlySpend, 2),
})
type Draft = ReturnType<typeof draftOf>
const bodyOf = ({ daily, monthly }: Draft) => ({
  ...(monthly === null ? {} : { monthlySpend: numberToSend(monthly, 2) }),
  dailySpend: numberToSend(daily, 2),
})

/** The daily budget follows that of the month, unless it is something else than its part. */
function withMonth(before: Draft, monthly: string, partOf: (amount: number) => number): Draft {
  const [old, amount] = [amountOf(before.monthly ?? ''), amountOf(monthly)]
  const follows = old === null || amountOf(before.daily) === partOf(old)
  return { monthly, daily: follows && amount !== null ? writeNumber(partOf(amount), 2) : before.daily }
}

function Editor({ campaign, at, onClose }: Edited & { onClose: () => void }) {
  const { cuid, cid, name, dailySpend } = campaign
  const [busy, setBusy] = useState(false)
  const [asking, setAsking] = useState(false)
  const edit = useEdit({ current: campaign, draftOf, bodyOf, ...useCampaignCalls(cuid, cid) })
  const errors = useFieldErrors(edit.body)
  const unusual = useUnusual(cuid, t('form.save'))
  const letGo = useUnsaved(edit.dirty)
  const notice = useNotice()
  const run = async (work: () => Promise<boolean>) => {
    if (busy) return
    setBusy(true)
    errors.clear()
    try {
      if ((await work()) || !edit.dirty) {
        letGo()
        return onClose()
      }
    } catch (error) {
      if (isProposed(error)) {
        letGo()
        notice.proposed()
        return onClose()
      }
      errors.take(error)
    }
    setBusy(false)
  }
  const save = () =>
    run(async () => (await unusual.isMeant(bodyOf(edit.draft).dailySpend, dailySpend)) && edit.save())
  const isAsking = asking || unusual.isAsking
  const dismiss = () => (edit.dirty ? setAsking(true) : onClose())
  useOpenDialog(true, dismiss)
  if (edit.conflict) {
    const { keepYours } = edit.conflict
    return (
      <ConflictDialog conflict={edit.conflict} busy={busy} onKeep={fields => run(() => keepYours(fields))} />
    )
  }
  return (
    <Popover
      opened
      onDismiss={dismiss}
      closeOnClickOutside={false}
      closeOnEscape={!isAsking}
      hideDetached={false}
      withRoles={false}
      width={280}
      shadow="md"
      trapFocus={!isAsking}
    >
      <Popover.Target>
        <div style={{ position: 'fixed', left: at.x, top: at.y, width: at.width, height: at.height }} />
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={t('campaigns.budgetOf', { name })}>
        <Stack gap="sm">
          <Fields name={name} draft={edit.draft} errors={errors} onChange={edit.setDraft} onEnter={save} />
          <Group justify="flex-end" gap="xs">
            <Button size="xs" variant="default" onClick={onClose}>
              {t('form.cancel')}
            </Button>
            <Button size="xs" loading={busy} onClick={save}>
              {t('form.save')}
            </Button>
          </Group>
        </Stack>
        {unusual.question}
        <Discard opened={asking} onStay={() => setAsking(false)} onDiscard={onClose} />
      </Popover.Dropdown>
    </Popover>
  )
}

interface FieldsProps {
  name: string
  draft: Draft
  errors: FieldErrors
  onChange: (next: (before: Draft) => Draft) => void
  onEnter: () => void
}

/** The month, where it has a budget, and the day. */
function Fields({ name, draft, errors, onChange, onEnter }: FieldsProps) {
  const zone = useZone()
  const partOf = (month: number) => dailyOfMonth(month, nowMs() / 1000, zone)
  return (
    <>
      {draft.monthly !== null && (
        <NumberField
          label={t('campaigns.monthlyOf', { name })}
          description={t('campaigns.monthlyLimit')}
          autoFocus
          decimals={2}
          sign={currencySign()}
          show={exactMoney}
          check={budgetProblem}
          value={draft.monthly}
          error={errors.at('/monthlySpend')}
          onChange={monthly => onChange(before => withMonth(before, monthly, partOf))}
          onEnter={onEnter}
        />
      )}
      <NumberField
        label={t('campaigns.budgetOf', { name })}
        autoFocus={draft.monthly === null}
        decimals={2}
        sign={currencySign()}
        show={exactMoney}
        check={budgetProblem}
        value={draft.daily}
        error={errors.at('/dailySpend') ?? errors.message ?? undefined}
        onChange={daily => onChange(before => ({ ...before, daily }))}
        onEnter={onEnter}
      />
    </>
  )
}
