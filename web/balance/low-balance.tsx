// The field for the balance at which the customer is warned.

import { Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { LOW_BALANCE_RANGE } from '../../src/manage/customers/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import { type Customer, useKeepCustomer } from '../customers/data.ts'
import { useFieldErrors } from '../form/field-errors.ts'
import { numberToSend, writeNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { amountWithin } from '../form/range.ts'
import * as format from '../format/format.ts'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'

const lowBalanceProblem = amountWithin(LOW_BALANCE_RANGE)

export function LowBalance({ customer }: { customer: Tagged<Customer> }) {
  const { cuid, lowBalance } = customer
  const [typed, setTyped] = useState(lowBalance === null ? '' : writeNumber(lowBalance, 2))
  const errors = useFieldErrors({ lowBalance: typed })
  const keep = useKeepCustomer()
  const notice = useNotice()
  const edit = useMutation({
    mutationFn: () =>
      tagged(api.withMeta.editCustomer({ cuid, body: { lowBalance: numberToSend(typed, 2) } })),
    onSuccess: saved => {
      keep(saved)
      errors.clear()
      notice.done(t('form.saved'))
    },
    onError: error => errors.take(error),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    edit.mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Group align="flex-start" gap="sm">
        <NumberField
          label={t('balance.low')}
          description={t('balance.lowAbout')}
          value={typed}
          decimals={2}
          show={format.exactMoney}
          check={lowBalanceProblem}
          sign={format.currencySign()}
          error={errors.at('/lowBalance')}
          maw={320}
          onChange={setTyped}
        />
        <Button type="submit" variant="default" mt={{ base: 0, xs: 53 }} loading={edit.isPending}>
          {t('balance.lowSave')}
        </Button>
      </Group>
    </form>
  )
}
