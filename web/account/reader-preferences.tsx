// The preferences of a customer. Language and time zone are saved with the customer and apply to its emails too; the
// unit of distance is saved in this browser.

import { Select, SimpleGrid } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { CustomerEdit } from '../../src/manage/customers/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import { type Customer, useKeepCustomer } from '../customers/data.ts'
import { dateTime } from '../format/format.ts'
import { keepUnit, preferredUnit, UNITS, type Unit } from '../map/distance.ts'
import { browserZone } from '../period/home.ts'
import { useMay } from '../session/may.ts'
import { useSession } from '../session/session.ts'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { useSpeak } from '../shell/speak.ts'
import { LANGUAGES, type Language, language, t } from '../words/words.ts'

export function ReaderPreferences({ customer }: { customer: Tagged<Customer> }) {
  const { cuid } = customer
  const { timezone, staff, level } = useSession()
  const { timezonePending: pending } = customer
  const now = customer.timezone ?? timezone
  const speak = useSpeak()
  const may = useMay()
  const notice = useNotice()
  const keep = useKeepCustomer()
  const { mutate: edit } = useMutation({
    mutationFn: (body: CustomerEdit) => tagged(api.withMeta.editCustomer({ cuid, body })),
    onSuccess: saved => {
      keep(saved)
      notice.done(t('form.saved'))
    },
    onError: notice.refused,
  })
  return (
    <Panel title={t(level === 'app' ? 'account.theirPreferences' : 'account.preferences')}>
      <SimpleGrid cols={{ base: 1, xs: 3 }} maw={860}>
        <Select
          label={t('account.language')}
          description={t('account.languageAbout')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          allowDeselect={false}
          disabled={staff && !may.edit}
          value={staff ? (customer.language ?? 'en') : language()}
          data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
          onChange={next => {
            // Staff keep their own language.
            if (next && staff) edit({ language: next as Language })
            else if (next) speak(next as Language)
          }}
        />
        <Select
          label={t('period.zone')}
          description={pending ? waitsFor(pending, now) : t('account.zoneAbout')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          searchable
          disabled={!may.edit}
          allowDeselect={false}
          value={pending ? (pending.timezone ?? timezone) : now}
          data={zonesOf(timezone, customer.timezone)}
          limit={50}
          onChange={next => next && edit({ timezone: next === timezone ? null : next })}
        />
        {level !== 'app' && <Distances />}
      </SimpleGrid>
    </Panel>
  )
}

/** A change takes effect when the day is over: see docs/budgets.md. */
function waitsFor({ from }: { from: number }, zone: string): string {
  return t('account.zonePending', { time: dateTime(from, zone), zone })
}

function Distances() {
  const [unit, setUnit] = useState(preferredUnit)
  return (
    <Select
      label={t('account.distance')}
      description={t('account.preferencesAbout')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      allowDeselect={false}
      value={unit}
      data={UNITS.map(value => ({ value, label: t(`map.${value}`) }))}
      onChange={next => {
        setUnit(next as Unit)
        keepUnit(next as Unit)
      }}
    />
  )
}

/** The time zones to choose from, the likely ones first. */
function zonesOf(own: string, chosen: string | null = null): string[] {
  const likely = [own, ...(chosen === null ? [] : [chosen]), browserZone(), 'UTC']
  return [...new Set([...likely, ...Intl.supportedValuesOf('timeZone')])]
}
