// Countries, states and cities by typeahead. Each chosen place is a pill; the API stores the code of the pill.

import { Combobox, Group, Input, Loader, Pill, PillsInput, Text, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../api/client.ts'
import { named, t } from '../words/words.ts'
import { placeLabel, placeName } from './place-name.ts'
import { useStateNames } from './state-names.ts'

interface PlacesPickerProps {
  value: string[]
  error?: string
  onChange: (value: string[]) => void
}

export function PlacesPicker({ value, error, onChange }: PlacesPickerProps) {
  const [search, setSearch] = useState('')
  const [labels, setLabels] = useState<Record<string, string>>({})
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const { places, busy } = usePlaces(search)
  const stateName = useStateNames(value)
  const nameOf = (code: string) => labels[code] ?? placeName(code, stateName)
  const offered = places.filter(place => !value.includes(place.value))
  // Enter takes what is marked: a new list begins with its first place, not where the old one was.
  const list = offered.map(place => place.value).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store is another object each time.
  useEffect(() => {
    if (list !== '') combobox.selectFirstOption()
  }, [list])
  const add = (code: string) => {
    const place = places.find(found => found.value === code)
    if (place) setLabels({ ...labels, [code]: placeLabel(place) })
    onChange([...value, code])
    setSearch('')
    combobox.closeDropdown()
  }
  const remove = (code: string) => onChange(value.filter(kept => kept !== code))
  return (
    <Input.Wrapper
      label={t('personas.places')}
      description={t('personas.placesAbout')}
      error={error}
      withAsterisk
      labelElement="div"
    >
      <Combobox store={combobox} onOptionSubmit={add}>
        <Combobox.DropdownTarget>
          <PillsInput
            mt={6}
            error={!!error}
            rightSection={busy ? <Loader size={16} aria-hidden="true" /> : null}
          >
            <Pill.Group>
              {value.map(code => (
                <Pill
                  key={code}
                  withRemoveButton
                  onRemove={() => remove(code)}
                  removeButtonProps={{
                    'aria-label': t('form.removeNamed', { name: nameOf(code) }),
                    'aria-hidden': false,
                    tabIndex: 0,
                  }}
                >
                  {nameOf(code)}
                </Pill>
              ))}
              <Combobox.EventsTarget>
                <PillsInput.Field
                  value={search}
                  aria-label={t('personas.addPlace')}
                  aria-invalid={error ? true : undefined}
                  placeholder={t('personas.addPlace')}
                  onChange={event => {
                    setSearch(event.currentTarget.value)
                    combobox.openDropdown()
                  }}
                  onBlur={() => combobox.closeDropdown()}
                  onKeyDown={event => {
                    if (event.key === 'Backspace' && search === '' && value.length > 0) remove(value.at(-1)!)
                  }}
                />
              </Combobox.EventsTarget>
            </Pill.Group>
          </PillsInput>
        </Combobox.DropdownTarget>
        <Combobox.Dropdown hidden={search.trim() === ''}>
          <Combobox.Options aria-label={t('personas.places')} mah={280} style={{ overflowY: 'auto' }}>
            {offered.map(place => (
              <Combobox.Option key={place.value} value={place.value}>
                <Group justify="space-between" wrap="nowrap">
                  <Text size="sm">{placeLabel(place)}</Text>
                  <Text size="xs" className="option-kind">
                    {named('place', place.kind)}
                  </Text>
                </Group>
              </Combobox.Option>
            ))}
            {offered.length === 0 && !busy && <Combobox.Empty>{t('personas.noPlace')}</Combobox.Empty>}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
    </Input.Wrapper>
  )
}

export function usePlaces(search: string) {
  const [asked] = useDebouncedValue(search.trim(), 150)
  const query = useQuery({
    queryKey: ['places', asked],
    queryFn: ({ signal }) => api.findPlaces({ q: asked, limit: 12 }, { signal }),
    enabled: asked !== '',
    staleTime: 3_600_000,
    placeholderData: before => before,
  })
  return { places: asked === '' ? [] : (query.data ?? []), busy: query.isFetching }
}
