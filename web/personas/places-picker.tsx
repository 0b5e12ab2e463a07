// Countries, states and cities by typeahead. Each chosen place is a pill; the API stores the code of the pill.

import { Combobox, Group, Input, Loader, Pill, PillsInput, Text, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../api/client.ts'
import { problemSentence } from '../words/error-words.ts'
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
  const { places, busy, error: failure } = usePlaces(search)
  const stateName = useStateNames(value)
  const nameOf = (code: string) => labels[code] ?? placeName(code, stateName)
  const offered = places.filter(place => !value.includes(place.value))
  // Enter takes the marked place. A new list starts at its first place, not where the old one was; until it arrives,
  // nothing is marked.
  const list = offered.map(place => place.value).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store is another object each time.
  useEffect(() => {
    if (busy) combobox.resetSelectedOption()
    else if (list !== '') combobox.selectFirstOption()
  }, [list, busy])
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
                    // Enter on a place must not send the form.
                    if (event.key === 'Enter' && search !== '') event.preventDefault()
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
            {offered.length === 0 && !busy && (
              <Combobox.Empty>{failure ? problemSentence(failure) : t('personas.noPlace')}</Combobox.Empty>
            )}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
    </Input.Wrapper>
  )
}

/** `busy`: the places do not match the typed text yet. */
export function usePlaces(search: string) {
  const typed = search.trim()
  const [asked] = useDebouncedValue(typed, 150)
  const query = useQuery({
    queryKey: ['places', asked],
    queryFn: ({ signal }) => api.findPlaces({ q: asked, limit: 12 }, { signal }),
    enabled: asked !== '',
    staleTime: 3_600_000,
    placeholderData: before => before,
    // Without a connection the call fails instead of waiting for one, and is repeated once there is a connection.
    networkMode: 'always',
    refetchOnReconnect: true,
  })
  const busy = typed !== '' && (query.isFetching || asked !== typed)
  return { places: asked === '' ? [] : (query.data ?? []), busy, error: query.error }
}
