// What a persona wants of the attributes that its app has declared: one row for each, and a choice of those to add.
// Nothing is shown where there are none.

import {
  ActionIcon,
  Fieldset,
  Group,
  Input,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type {
  TargetableAttribute,
  WantedAttribute,
  WantedAttributes,
} from '../../src/manage/attributes/contract.ts'
import { api } from '../api/client.ts'
import type { FieldErrors } from '../form/field-errors.ts'
import { numberToSend, writeNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { decimal } from '../format/format.ts'
import { useCuid } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { named, t } from '../words/words.ts'

const LISTS = ['any', 'all', 'none'] as const
const BOUNDS = ['min', 'max'] as const
const DECIMALS = 6

interface AttributeFieldsProps {
  value: WantedAttributes
  errors: FieldErrors
  onChange: (value: WantedAttributes) => void
}

export function AttributeFields({ value, errors, onChange }: AttributeFieldsProps) {
  const cuid = useCuid()
  const { data: declared = [] } = useQuery({
    queryKey: ['attributes', cuid],
    queryFn: () => api.listTargetableAttributes({ cuid }),
  })
  const wanted = Object.keys(value)
  if (declared.length === 0 && wanted.length === 0) return null
  const labelOf = (key: string) => declared.find(one => one.key === key)?.label ?? key
  const left = declared.filter(({ key }) => !wanted.includes(key))
  const put = (key: string, one: WantedAttribute) => onChange({ ...value, [key]: one })
  const remove = (key: string) =>
    onChange(Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)))
  return (
    <Fieldset legend={t('personas.attributes')} variant="unstyled">
      <Stack gap="md">
        {wanted.map(key => (
          <Input.Wrapper
            key={key}
            label={labelOf(key)}
            labelElement="div"
            error={errors.at(`/attributes/${key}`)}
          >
            <Group wrap="nowrap" align="flex-start" mt={4}>
              <Wanted
                label={labelOf(key)}
                declared={declared.find(one => one.key === key)}
                value={value[key]!}
                onChange={one => put(key, one)}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                mt={26}
                aria-label={t('form.removeNamed', { name: labelOf(key) })}
                onClick={() => remove(key)}
              >
                <Icon name="close" size={16} />
              </ActionIcon>
            </Group>
          </Input.Wrapper>
        ))}
        {left.length > 0 && (
          <Select
            label={t('personas.addAttribute')}
            description={t('personas.attributesAbout')}
            data={left.map(({ key, label }) => ({ value: key, label }))}
            value={null}
            searchable
            onChange={key => key && put(key, {})}
          />
        )}
      </Stack>
    </Fieldset>
  )
}

interface WantedProps {
  label: string
  /** Missing: it is no longer declared, or only the app may target it. */
  declared: TargetableAttribute | undefined
  value: WantedAttribute
  onChange: (value: WantedAttribute) => void
}

function Wanted({ label, declared, value, onChange }: WantedProps) {
  const isNumber =
    declared?.kind === 'number' || typeof value.min === 'number' || typeof value.max === 'number'
  if (isNumber) return <Range label={label} value={value} onChange={onChange} />
  const choices = declared?.kind === 'choice' ? declared.choices : null
  const set = (list: (typeof LISTS)[number], words: string[]) => onChange({ ...value, [list]: words })
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} flex={1}>
      {LISTS.map(list => {
        const words = value[list] ?? []
        const common = {
          label: named('wanted', list),
          'aria-label': `${label}: ${named('wanted', list)}`,
          value: words,
          onChange: (next: string[]) => set(list, next),
        }
        return choices ? (
          <MultiSelect
            key={list}
            {...common}
            data={withKept(choices, words)}
            limit={50}
            searchable
            hidePickedOptions
          />
        ) : (
          <TagsInput key={list} {...common} splitChars={[',']} />
        )
      })}
    </SimpleGrid>
  )
}

/** What the persona wants although it is no longer a choice can still be seen and removed. */
function withKept(choices: TargetableAttribute['choices'], words: readonly string[]) {
  const gone = words.filter(word => !choices.some(({ value }) => value === word))
  return [...choices, ...gone.map(value => ({ value, label: value }))]
}

function Range({ label, value, onChange }: Omit<WantedProps, 'declared'>) {
  const [typed, setTyped] = useState(() => ({ min: writeBound(value.min), max: writeBound(value.max) }))
  const set = (bound: (typeof BOUNDS)[number], text: string) => {
    setTyped({ ...typed, [bound]: text })
    const { [bound]: _, ...others } = value
    onChange(text.trim() === '' ? others : { ...others, [bound]: numberToSend(text, DECIMALS) as number })
  }
  return (
    <SimpleGrid cols={2} flex={1}>
      {BOUNDS.map(bound => (
        <NumberField
          key={bound}
          label={`${label}: ${named('wanted', bound)}`}
          value={typed[bound]}
          decimals={DECIMALS}
          show={number => decimal(number, DECIMALS)}
          onChange={text => set(bound, text)}
        />
      ))}
    </SimpleGrid>
  )
}

function writeBound(bound: number | null | undefined): string {
  return typeof bound === 'number' ? writeNumber(bound, DECIMALS) : ''
}
