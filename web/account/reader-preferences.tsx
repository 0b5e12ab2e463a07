// How this reader likes to see things: language, time zone and distances. Kept in this browser, from visit to visit.

import { Select, SimpleGrid } from '@mantine/core'
import { useState } from 'react'
import { keepUnit, preferredUnit, UNITS, type Unit } from '../map/distance.ts'
import { keepZone, keptZone } from '../period/kept-zone.ts'
import { zonesOf } from '../period/zones.ts'
import { useSession } from '../session/session.ts'
import { Panel } from '../shell/panel.tsx'
import { useSpeak } from '../shell/speak.ts'
import { LANGUAGES, type Language, language, t } from '../words/words.ts'

export function ReaderPreferences() {
  const { timezone } = useSession()
  const speak = useSpeak()
  const [zone, setZone] = useState(() => keptZone() ?? timezone)
  const [unit, setUnit] = useState(preferredUnit)
  return (
    <Panel title={t('account.preferences')} about={t('account.preferencesAbout')}>
      <SimpleGrid cols={{ base: 1, xs: 3 }} maw={860}>
        <Select
          label={t('shell.language')}
          allowDeselect={false}
          value={language()}
          data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
          onChange={next => next && speak(next as Language)}
        />
        <Select
          label={t('period.zone')}
          searchable
          allowDeselect={false}
          value={zone}
          data={zonesOf(timezone)}
          limit={50}
          onChange={next => {
            if (!next) return
            setZone(next)
            keepZone(next === timezone ? null : next)
          }}
        />
        <Select
          label={t('account.distance')}
          allowDeselect={false}
          value={unit}
          data={UNITS.map(value => ({ value, label: t(`map.${value}`) }))}
          onChange={next => {
            setUnit(next as Unit)
            keepUnit(next as Unit)
          }}
        />
      </SimpleGrid>
    </Panel>
  )
}
