// The statement of a customer; the balance of one that pays in advance, and the amount at which it counts as low. Here staff of the app
// switch paying in advance on and off, and credit payments.

import { Button, Group, SimpleGrid, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { CustomerEdit } from '../../src/manage/customers/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import { type Customer, useKeepCustomer } from '../customers/data.ts'
import { Confirm } from '../form/confirm.tsx'
import * as format from '../format/format.ts'
import { useMay } from '../session/may.ts'
import { useSession } from '../session/session.ts'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { CreditDialog } from './credit-dialog.tsx'
import { type Account, accountQuery } from './data.ts'
import { LowBalance } from './low-balance.tsx'

export function BalancePanel({ customer }: { customer: Tagged<Customer> }) {
  const isStaff = useSession().level === 'app'
  const may = useMay()
  const { cuid, prepaid } = customer
  const account = useQuery({ ...accountQuery(cuid), enabled: prepaid })
  const isSwitched = isStaff && may.edit
  const about = isStaff ? t('balance.about') : prepaid ? undefined : t('balance.afterwards')
  return (
    <Panel
      title={t(prepaid || isSwitched ? 'balance.title' : 'balance.statement')}
      about={about}
      actions={<Actions customer={customer} isStaff={isStaff} />}
    >
      <Stack>
        {isSwitched && <PrepaidSwitch customer={customer} />}
        {prepaid && account.isPending && <Waiting height={80} />}
        {prepaid && account.error && <Refused error={account.error} onRetry={() => account.refetch()} />}
        {prepaid && account.data && <Amounts account={account.data} />}
        {prepaid && may.edit && <LowBalance customer={customer} />}
      </Stack>
    </Panel>
  )
}

function Actions({ customer, isStaff }: { customer: Customer; isStaff: boolean }) {
  const { cuid, prepaid } = customer
  const [crediting, setCrediting] = useState(false)
  const may = useMay()
  return (
    <>
      {isStaff ? (
        <Button component={Link} to={`/customers/${cuid}/statement`} variant="default">
          {t('balance.statement')}
        </Button>
      ) : (
        <Button component={Link} to="/statement" variant="default">
          {t('balance.statement')}
        </Button>
      )}
      {prepaid && isStaff && may.credit && (
        <Button onClick={() => setCrediting(true)}>{t('balance.credit')}</Button>
      )}
      <CreditDialog cuid={cuid} opened={crediting} onClose={() => setCrediting(false)} />
    </>
  )
}

const AMOUNTS = ['balance', 'reserved', 'credited', 'spent'] as const

function Amounts({ account }: { account: Account }) {
  return (
    <SimpleGrid component="dl" cols={{ base: 2, sm: 4 }} m={0}>
      {AMOUNTS.map(name => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {t(`balance.${name}`)}
          </Text>
          <Text component="dd" m={0} className={name === 'balance' ? 'l' : 'n'}>
            {format.money(account[name])}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  )
}

/** Turning it off ends the account, so a dialog asks first. */
function PrepaidSwitch({ customer }: { customer: Tagged<Customer> }) {
  const { cuid, prepaid } = customer
  const [asking, setAsking] = useState(false)
  const keep = useKeepCustomer()
  const client = useQueryClient()
  const notice = useNotice()
  const edit = useMutation({
    mutationFn: (body: CustomerEdit) => tagged(api.withMeta.editCustomer({ cuid, body })),
    onSuccess: saved => {
      keep(saved)
      setAsking(false)
      client.invalidateQueries({ queryKey: accountQuery(cuid).queryKey })
      client.invalidateQueries({ queryKey: ['statement', cuid] })
      notice.done(t('form.saved'))
    },
  })
  return (
    <Group>
      <Switch
        label={t('balance.prepaid')}
        checked={prepaid}
        onChange={() =>
          prepaid ? setAsking(true) : edit.mutate({ prepaid: true }, { onError: notice.refused })
        }
      />
      <Confirm
        opened={asking}
        title={t('balance.endTitle')}
        about={t('balance.endAbout')}
        action={t('balance.end')}
        busy={edit.isPending}
        error={edit.error}
        onConfirm={() => edit.mutate({ prepaid: false })}
        onClose={() => setAsking(false)}
      />
    </Group>
  )
}
