// Email preferences of a customer: daily or weekly reports, and alerts. Each choice is saved immediately.

import { Group, Input, SegmentedControl, Select, SimpleGrid, Stack, Switch } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type MailChoices,
  type MailChoicesEdit,
  REPORT_CHOICES,
  type ReportChoice,
} from '../../src/notify/mails/contract.ts'
import { api } from '../api/client.ts'
import { EditFields } from '../form/edit-fields.tsx'
import { numberToSend, readNumber, writeNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { amountWithin, within } from '../form/range.ts'
import { currencySign, decimal, exactMoney } from '../format/format.ts'
import { useMay } from '../session/may.ts'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'

const ALERTS = [
  'bannerRejected',
  'budgetSpent',
  'daySpent',
  'balance',
  'proposals',
  'decisions',
  'stopped',
] as const
/** Times the old budget. A factor that a program set is offered too. */
const FACTORS = [1.5, 2, 3, 5, 10]
const NEVER = 'never'

export function Mails({ cuid }: { cuid: number }) {
  const client = useQueryClient()
  const notice = useNotice()
  const { rights } = useMay()
  const queryKey = ['mails', cuid]
  const choices = useQuery({ queryKey, queryFn: () => api.readMailChoices({ cuid }) })
  const { mutate: choose } = useMutation({
    mutationFn: (body: MailChoicesEdit) => api.editMailChoices({ cuid, body }),
    onSuccess: kept => {
      client.setQueryData(queryKey, kept)
      notice.done(t('form.saved'))
    },
    onError: notice.refused,
  })
  return (
    <Panel title={t('mails.title')} about={t('mails.about')}>
      {choices.isPending && <Waiting height={120} />}
      {choices.error && <Refused error={choices.error} onRetry={() => choices.refetch()} />}
      {choices.data && (
        <EditFields>
          <Stack>
            <Input.Wrapper
              label={t('mails.report')}
              description={t('mails.report.about')}
              labelElement="div"
              inputWrapperOrder={['label', 'description', 'input']}
            >
              <Group mt={6}>
                <SegmentedControl
                  aria-label={t('mails.report')}
                  value={choices.data.report}
                  data={REPORT_CHOICES.map(value => ({ value, label: t(`mails.report.${value}`) }))}
                  onChange={next => choose({ report: next as ReportChoice })}
                />
              </Group>
            </Input.Wrapper>
            {ALERTS.map(kind => (
              <Switch
                key={kind}
                label={t(`mails.${kind}`)}
                checked={choices.data[kind]}
                onChange={event => choose({ [kind]: event.currentTarget.checked })}
              />
            ))}
            <Thresholds choices={choices.data} choose={choose} />
            <Switch
              label={t('mails.access')}
              checked={choices.data.access}
              disabled={!rights}
              onChange={event => choose({ access: event.currentTarget.checked })}
            />
            <Group>
              <Select
                label={t('mails.budgetRaised')}
                allowDeselect={false}
                disabled={!rights}
                value={String(choices.data.budgetRaised ?? NEVER)}
                data={factorsWith(choices.data.budgetRaised)}
                onChange={next => next && choose({ budgetRaised: next === NEVER ? null : Number(next) })}
              />
            </Group>
          </Stack>
        </EditFields>
      )}
    </Panel>
  )
}

const THRESHOLDS = {
  spendOver: { decimals: 2, minimum: 0.01, maximum: 1_000_000_000, show: exactMoney },
  balanceDays: { decimals: 0, minimum: 1, maximum: 365, show: (days: number) => decimal(days, 0) },
  paceBelow: { decimals: 0, minimum: 1, maximum: 100, show: (percent: number) => `${decimal(percent, 0)} %` },
} as const
type Threshold = keyof typeof THRESHOLDS

interface ThresholdsProps {
  choices: MailChoices
  choose: (body: MailChoicesEdit) => void
}

/** An empty one is off. */
function Thresholds({ choices, choose }: ThresholdsProps) {
  return (
    <Input.Wrapper
      label={t('mails.thresholds')}
      description={t('mails.thresholds.about')}
      labelElement="div"
      role="group"
      aria-label={t('mails.thresholds')}
    >
      <SimpleGrid cols={{ base: 1, sm: 3 }} mt={6}>
        {(Object.keys(THRESHOLDS) as Threshold[]).map(name => (
          <ThresholdField key={`${name} ${choices[name]}`} {...{ name, choose }} current={choices[name]} />
        ))}
      </SimpleGrid>
    </Input.Wrapper>
  )
}

interface ThresholdFieldProps {
  name: Threshold
  current: number | null
  choose: ThresholdsProps['choose']
}

/** Saved when it is left, if it can be. */
function ThresholdField({ name, current, choose }: ThresholdFieldProps) {
  const { decimals, minimum, maximum, show } = THRESHOLDS[name]
  const [typed, setTyped] = useState(current === null ? '' : writeNumber(current, decimals))
  const check = (name === 'spendOver' ? amountWithin : within)({ minimum, maximum })
  const save = () => {
    const read = readNumber(typed, decimals)
    const isFine = typed.trim() === '' || ('value' in read && check(read.value) === undefined)
    const next = typed.trim() === '' ? null : numberToSend(typed, decimals)
    if (isFine && next !== current) choose({ [name]: next })
  }
  return (
    <NumberField
      label={t(`mails.${name}`)}
      value={typed}
      decimals={decimals}
      show={show}
      check={check}
      onChange={setTyped}
      onEnter={save}
      onLeave={save}
      {...(name === 'spendOver' ? { sign: currencySign() } : name === 'paceBelow' ? { sign: '%' } : {})}
    />
  )
}

function factorsWith(chosen: number | null) {
  const factors = [...new Set([...FACTORS, ...(chosen === null ? [] : [chosen])])].sort((a, b) => a - b)
  const offered = factors.map(factor => ({
    value: String(factor),
    label: t('mails.budgetRaised.times', { factor: decimal(factor, 2) }),
  }))
  return [{ value: NEVER, label: t('mails.budgetRaised.never') }, ...offered]
}
