// The budget of a row, edited in place: Enter saves, Escape cancels. It is saved only if the version shown is still
// current.

import { Button, Group, Popover, Stack, UnstyledButton } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Tagged, tagged } from '../api/client.ts'
import { useFieldErrors } from '../form/field-errors.ts'
import { numberToSend, writeNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { useUnsaved } from '../form/unsaved.ts'
import { currencySign, money } from '../format/format.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'
import { type Campaign, campaignQuery, useKeepCampaign } from './data.ts'

export function InlineBudget({ campaign }: { campaign: Campaign }) {
  const { cuid, cid, dailySpend, name } = campaign
  const [editing, setEditing] = useState<Tagged<Campaign> | null>(null)
  const client = useQueryClient()
  const notice = useNotice()
  const open = () =>
    client
      .fetchQuery({ ...campaignQuery(cuid, cid), staleTime: 0 })
      .then(setEditing)
      .catch(notice.refused)
  const close = () => setEditing(null)
  return (
    <Popover
      opened={editing !== null}
      onChange={opened => !opened && close()}
      closeOnClickOutside={false}
      width={280}
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <UnstyledButton
          className="inline-edit"
          aria-label={t('campaigns.editBudget', { name, budget: money(dailySpend) })}
          onClick={open}
        >
          {money(dailySpend)}
          <Icon name="edit" size={13} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('campaigns.budgetOf', { name })}>
        {editing && <Editor campaign={editing} onClose={close} />}
      </Popover.Dropdown>
    </Popover>
  )
}

function Editor({ campaign, onClose }: { campaign: Tagged<Campaign>; onClose: () => void }) {
  const { cuid, cid, name, etag } = campaign
  const first = writeNumber(campaign.dailySpend, 2)
  const [typed, setTyped] = useState(first)
  const [busy, setBusy] = useState(false)
  const errors = useFieldErrors()
  const keep = useKeepCampaign(cuid)
  const client = useQueryClient()
  const letGo = useUnsaved(typed !== first)
  const save = async () => {
    if (typed === first) return onClose()
    setBusy(true)
    errors.clear()
    try {
      const body = { dailySpend: numberToSend(typed, 2) as number }
      keep(await tagged(api.withMeta.editCampaign({ cuid, cid, body }, { ifMatch: etag ?? undefined })))
      letGo()
      onClose()
    } catch (error) {
      errors.take(error)
      client.invalidateQueries({ queryKey: ['campaigns', cuid] })
    }
    setBusy(false)
  }
  return (
    <Stack gap="sm">
      <NumberField
        label={t('campaigns.budgetOf', { name })}
        autoFocus
        decimals={2}
        sign={currencySign()}
        show={money}
        value={typed}
        error={errors.at('/dailySpend') ?? errors.message ?? undefined}
        onChange={setTyped}
        onEnter={save}
        onEscape={onClose}
      />
      <Group justify="flex-end" gap="xs">
        <Button size="xs" variant="default" onClick={onClose}>
          {t('form.cancel')}
        </Button>
        <Button size="xs" loading={busy} onClick={save}>
          {t('form.save')}
        </Button>
      </Group>
    </Stack>
  )
}
