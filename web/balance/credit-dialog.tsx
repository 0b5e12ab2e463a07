// Credits a customer with a payment, or corrects a credit. The reference keeps a payment from being credited twice.

import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { numberToSend } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import * as format from '../format/format.ts'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'
import { accountQuery } from './data.ts'

interface CreditDialogProps {
  cuid: number
  opened: boolean
  onClose: () => void
}

export function CreditDialog({ cuid, opened, onClose }: CreditDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={t('balance.credit')}>
      <Form cuid={cuid} onClose={onClose} />
    </Dialog>
  )
}

const EMPTY = { amount: '', reference: '', note: '' }

function Form({ cuid, onClose }: { cuid: number; onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY)
  const errors = useFieldErrors(draft)
  const client = useQueryClient()
  const notice = useNotice()
  const create = async () => {
    const { reference, note } = draft
    const amount = numberToSend(draft.amount, 2) as number
    const { account } = await api.creditCustomer({
      cuid,
      body: { amount, reference, ...(note.trim() === '' ? {} : { note }) },
    })
    client.setQueryData(accountQuery(cuid).queryKey, account)
    client.invalidateQueries({ queryKey: ['statement', cuid] })
    notice.done(t('balance.done', { balance: format.money(account.balance) }))
    onClose()
  }
  return (
    <CreateForm
      action={t('balance.book')}
      errors={errors}
      dirty={useDirty(draft)}
      create={create}
      onCancel={onClose}
    >
      <NumberField
        label={t('balance.amount')}
        description={t('balance.amountAbout')}
        required
        value={draft.amount}
        decimals={2}
        show={format.exactMoney}
        sign={format.currencySign()}
        error={errors.at('/amount')}
        autoFocus
        onChange={amount => setDraft({ ...draft, amount })}
      />
      <TextInput
        label={t('balance.reference')}
        description={t('balance.referenceAbout')}
        withAsterisk
        autoComplete="off"
        value={draft.reference}
        error={errors.at('/reference')}
        onChange={event => setDraft({ ...draft, reference: event.currentTarget.value })}
      />
      <TextInput
        label={t('balance.note')}
        description={t('balance.noteAbout')}
        autoComplete="off"
        value={draft.note}
        error={errors.at('/note')}
        onChange={event => setDraft({ ...draft, note: event.currentTarget.value })}
      />
    </CreateForm>
  )
}
