// Which places of its bid requests fill which attributes: one row for each, and a choice of those to add. Nothing is
// shown where the app has declared none.

import { Fieldset, Select, Stack, TagsInput, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { attributesQuery } from '../attributes/data.ts'
import type { FieldErrors } from '../form/field-errors.ts'
import { t } from '../words/words.ts'
import type { SeenSource } from './data.ts'

type Places = SeenSource['attributes']

const suggestionsFor = (key: string) => [
  'keywords',
  'user.keywords',
  ...['site', 'app', 'user'].map(part => `${part}.ext.data.${key}`),
]

/** An attribute without places is not sent. */
export function placesBodyOf(places: Places): Places {
  return Object.fromEntries(Object.entries(places).filter(([, paths]) => paths.length > 0))
}

interface PlacesFieldsProps {
  value: Places
  errors: FieldErrors
  onChange: (value: Places) => void
}

export function PlacesFields({ value, errors, onChange }: PlacesFieldsProps) {
  const { data: declared = [] } = useQuery(attributesQuery)
  const keys = Object.keys(value)
  if (declared.length === 0 && keys.length === 0) return null
  const left = declared.filter(({ key }) => !keys.includes(key))
  return (
    <Fieldset legend={t('attributes.places')} variant="unstyled">
      <Stack gap="md">
        {keys.map(key => (
          <TagsInput
            key={key}
            label={t('attributes.placesOf', { name: key })}
            data={suggestionsFor(key)}
            splitChars={[',', ' ']}
            clearable
            value={value[key] ?? []}
            error={errors.at(`/attributes/${key}`)}
            onChange={paths => onChange({ ...value, [key]: paths })}
          />
        ))}
        {left.length > 0 && (
          <Select
            label={t('attributes.placesAdd')}
            description={t('attributes.placesAbout')}
            data={left.map(({ key, label }) => ({ value: key, label }))}
            value={null}
            searchable
            onChange={key => key && onChange({ ...value, [key]: [] })}
          />
        )}
      </Stack>
    </Fieldset>
  )
}

/** The same in sentences. */
export function PlacesSaid({ places }: { places: Places }) {
  return Object.entries(places).map(([key, paths]) => (
    <Text key={key} size="sm" style={{ overflowWrap: 'anywhere' }}>
      {t('attributes.placesSaid', { key, places: paths.join(', ') })}
    </Text>
  ))
}
