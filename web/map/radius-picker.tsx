// A circle on the map and the same three numbers as fields: whichever is changed, the other follows.

import { Autocomplete, Grid, NumberInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { FieldErrors } from '../form/field-errors.ts'
import { decimal } from '../format/format.ts'
import type { PersonaDraft } from '../personas/draft.ts'
import { usePlaces } from '../personas/places-picker.tsx'
import { t } from '../words/words.ts'
import { RadiusMap } from './radius-map.tsx'

interface RadiusPickerProps {
  draft: PersonaDraft
  errors: FieldErrors
  onChange: (change: Partial<PersonaDraft>) => void
}

export function RadiusPicker({ draft, errors, onChange }: RadiusPickerProps) {
  const [search, setSearch] = useState('')
  const { places } = usePlaces(search)
  const cities = places.filter(place => place.lat !== undefined)
  const go = (label: string) => {
    setSearch(label)
    const city = cities.find(place => place.label === label)
    if (city) onChange({ latitude: city.lat!, longitude: city.lon! })
  }
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, sm: 7 }}>
        <RadiusMap
          latitude={clamp(draft.latitude, -85, 85)}
          longitude={clamp(draft.longitude, -180, 180)}
          radiusM={clamp(draft.radius, 1, 1_000_000)}
          onMove={(latitude, longitude) => onChange({ latitude, longitude })}
          onRadius={radius => onChange({ radius })}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 5 }}>
        <Stack gap="sm">
          <Autocomplete
            label={t('map.find')}
            placeholder={t('map.findExample')}
            value={search}
            data={cities.map(place => place.label)}
            filter={({ options }) => options}
            onChange={setSearch}
            onOptionSubmit={go}
          />
          <NumberInput
            label={t('map.radius')}
            description={t('map.inKilometres', { km: decimal(clamp(draft.radius, 1, 1_000_000) / 1000, 1) })}
            withAsterisk
            step={1000}
            thousandSeparator
            value={draft.radius}
            error={errors.at('/geo/radius')}
            onChange={radius => onChange({ radius })}
          />
          <NumberInput
            label={t('map.latitude')}
            withAsterisk
            step={0.01}
            decimalScale={6}
            value={draft.latitude}
            error={errors.at('/geo/geocode/0') ?? errors.at('/geo/geocode')}
            onChange={latitude => onChange({ latitude })}
          />
          <NumberInput
            label={t('map.longitude')}
            withAsterisk
            step={0.01}
            decimalScale={6}
            value={draft.longitude}
            error={errors.at('/geo/geocode/1')}
            onChange={longitude => onChange({ longitude })}
          />
          <Text size="xs" c="dimmed">
            {t('map.about')}
          </Text>
        </Stack>
      </Grid.Col>
    </Grid>
  )
}

function clamp(value: number | string, min: number, max: number): number {
  const number = Number(value)
  return Number.isFinite(number) ? Math.min(max, Math.max(min, number)) : min
}
