// A circle on the map and the same three numbers as fields: when one is changed, the other follows.

import { Autocomplete, Grid, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import type { FieldErrors } from '../form/field-errors.ts'
import { readNumber, writeNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { within } from '../form/range.ts'
import { decimal } from '../format/format.ts'
import { browserZone, homeCountry } from '../period/home.ts'
import { isSomewhere, type PersonaDraft } from '../personas/draft.ts'
import { placeLabel } from '../personas/place-name.ts'
import { usePlaces } from '../personas/places-picker.tsx'
import { t } from '../words/words.ts'
import { inMetres, inUnit, keepUnit, preferredUnit, UNITS, type Unit, writeDistance } from './distance.ts'
import { RadiusMap } from './radius-map.tsx'

interface RadiusPickerProps {
  draft: PersonaDraft
  errors: FieldErrors
  onChange: (change: Partial<PersonaDraft>) => void
}

const MAX_RADIUS_M = 1_000_000
const LATITUDE = within({ minimum: -90, maximum: 90 })
const LONGITUDE = within({ minimum: -180, maximum: 180 })

export function RadiusPicker({ draft, errors, onChange }: RadiusPickerProps) {
  const [unit, setUnit] = useState(preferredUnit)
  const home = useHomeCity()
  const isUntouched = useRef(isSomewhere(draft))
  useEffect(() => {
    if (!home || !isUntouched.current) return
    isUntouched.current = false
    onChange({ latitude: writeNumber(home.lat, 6), longitude: writeNumber(home.lon, 6) })
  }, [home, onChange])
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, sm: 7 }}>
        <RadiusMap
          latitude={clamped(draft.latitude, 85)}
          longitude={clamped(draft.longitude, 180)}
          radiusM={metresOf(draft.radius)}
          unit={unit}
          onMove={(latitude, longitude) =>
            onChange({ latitude: writeNumber(latitude, 6), longitude: writeNumber(longitude, 6) })
          }
          onRadius={radius => onChange({ radius })}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 5 }}>
        <Stack gap="sm">
          <CitySearch onChange={onChange} />
          <Group align="flex-start" wrap="nowrap" gap="xs">
            <RadiusField
              metres={draft.radius}
              unit={unit}
              error={errors.at('/geo/radius')}
              onChange={radius => onChange({ radius })}
            />
            <SegmentedControl
              mt={26}
              style={{ flexShrink: 0 }}
              aria-label={t('map.unit')}
              value={unit}
              data={UNITS.map(value => ({ value, label: t(`map.${value}`) }))}
              onChange={next => {
                setUnit(next as Unit)
                keepUnit(next as Unit)
              }}
            />
          </Group>
          <NumberField
            label={t('map.latitude')}
            required
            decimals={6}
            show={value => decimal(value, 6)}
            check={LATITUDE}
            value={draft.latitude}
            error={errors.at('/geo/geocode/0') ?? errors.at('/geo/geocode')}
            onChange={latitude => onChange({ latitude })}
          />
          <NumberField
            label={t('map.longitude')}
            required
            decimals={6}
            show={value => decimal(value, 6)}
            check={LONGITUDE}
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

/** The city that the zone is named after, such as Toronto, if it is one of the country. */
function useHomeCity(): { lat: number; lon: number } | null {
  const country = useMemo(() => homeCountry(), [])
  const city = browserZone().split('/').at(-1)!.replaceAll('_', ' ')
  const { data } = useQuery({
    queryKey: ['places', 'home', city],
    queryFn: () => api.findPlaces({ q: city }),
    enabled: country !== null,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const found = data?.find(({ value, lat }) => value.startsWith(`${country}-`) && lat !== undefined)
  return found ? { lat: found.lat!, lon: found.lon! } : null
}

/** Moves the circle to a city. */
function CitySearch({ onChange }: Pick<RadiusPickerProps, 'onChange'>) {
  const [search, setSearch] = useState('')
  const { places, busy } = usePlaces(search)
  const cities = places.filter(place => place.lat !== undefined)
  const go = (label: string) => {
    setSearch(label)
    const city = cities.find(place => placeLabel(place) === label)
    if (city) onChange({ latitude: writeNumber(city.lat!, 6), longitude: writeNumber(city.lon!, 6) })
  }
  return (
    <Autocomplete
      label={t('map.find')}
      placeholder={t('map.findExample')}
      value={search}
      data={[...new Set(cities.map(placeLabel))]}
      filter={({ options }) => options}
      onChange={setSearch}
      onOptionSubmit={go}
      onKeyDown={event => {
        if (event.key !== 'Enter' || search === '') return
        // Who meant a city does not mean to send the form.
        event.preventDefault()
        if (!busy) takeFirst(event.currentTarget)
      }}
    />
  )
}

/** As with the places of a persona, Enter takes the first one if none is marked. */
function takeFirst(field: HTMLInputElement): void {
  const list = document.getElementById(field.getAttribute('aria-controls') ?? '')
  if (!list?.querySelector('[data-combobox-selected]'))
    list?.querySelector<HTMLElement>('[role="option"]')?.click()
}

interface RadiusFieldProps {
  metres: number | null
  unit: Unit
  error?: string
  onChange: (metres: number | null) => void
}

const DECIMALS = 3

/** Invalid input is passed on unchanged, so that nothing else is sent in its place. */
function RadiusField({ metres, unit, error, onChange }: RadiusFieldProps) {
  const written = typeof metres === 'number' ? writeNumber(round(inUnit(metres, unit)), DECIMALS) : ''
  const [typed, setTyped] = useState(written)
  const own = useRef({ metres, unit })
  useEffect(() => {
    // After a drag on the map or a change of unit. Text being typed is not rewritten: `1,5` could become `1,500`.
    const isOwn = own.current.metres === metres && own.current.unit === unit
    if (written !== '' && !isOwn) setTyped(written)
    own.current = { metres, unit }
  }, [written, metres, unit])
  const send = (next: number | null) => {
    own.current = { metres: next, unit }
    onChange(next)
  }
  const change = (next: string) => {
    setTyped(next)
    const read = readNumber(next, DECIMALS)
    if (!('value' in read)) send(read.problem === 'empty' ? null : (next as unknown as number))
    // The same distance written differently is not a change.
    else if (writeNumber(read.value, DECIMALS) !== written) send(inMetres(read.value, unit))
  }
  return (
    <NumberField
      label={t('map.radius')}
      required
      decimals={DECIMALS}
      show={value => writeDistance(inMetres(value, unit), unit)}
      check={within({ minimum: 0.001, maximum: round(inUnit(MAX_RADIUS_M, unit)) }, value =>
        decimal(value, 3),
      )}
      value={typed}
      error={error}
      onChange={change}
    />
  )
}

const round = (value: number) => Math.round(value * 1000) / 1000

function clamped(typed: string, most: number): number {
  const read = readNumber(typed, 6)
  return 'value' in read ? Math.min(most, Math.max(-most, read.value)) : 0
}

function metresOf(metres: number | null): number {
  return typeof metres === 'number' ? Math.min(MAX_RADIUS_M, Math.max(1, metres)) : 1
}
