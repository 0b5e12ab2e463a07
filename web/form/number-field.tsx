// A field for a number, typed or pasted in the reader's own way. The value as understood is shown below it; an invalid
// number is reported as soon as the field is left, and is never sent as a number other than the one shown.

import { Box, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { currencyName } from '../format/format.ts'
import { locale, t } from '../words/words.ts'
import { readNumber, writeNumber } from './number.ts'
import { separators } from './number-in.ts'

export interface NumberFieldProps {
  label: string
  /** Instead of a visible label. */
  hideLabel?: boolean
  description?: string
  required?: boolean
  /** As typed. */
  value: string
  /** How many decimals the field takes. */
  decimals: number
  /** How the parsed number is shown. */
  show: (value: number) => string
  /** What is wrong with a number that was read, such as a negative budget. */
  check?: (value: number) => string | undefined
  /** Shown before the number. */
  sign?: string
  error?: string
  maw?: number
  autoFocus?: boolean
  size?: 'xs' | 'sm'
  onChange: (typed: string) => void
  onEnter?: () => void
  /** The field was left. */
  onLeave?: () => void
}

export function NumberField(props: NumberFieldProps) {
  const { value, decimals, show, error, onChange } = props
  const [left, setLeft] = useState(false)
  const read = readNumber(value, decimals)
  const outside = 'value' in read ? props.check?.(read.value) : undefined
  const problem = left ? (outside ?? problemOf(read, decimals)) : undefined
  const isFine = 'value' in read && outside === undefined
  const understood = isFine ? t('form.understood', { value: show(read.value) }) : ''
  const tidy = () => {
    setLeft(true)
    if ('value' in read) onChange(writeNumber(read.value, decimals))
    props.onLeave?.()
  }
  return (
    <Box maw={props.maw}>
      <TextInput
        label={props.hideLabel ? undefined : props.label}
        aria-label={props.hideLabel ? props.label : undefined}
        description={props.description}
        withAsterisk={props.required}
        inputMode="decimal"
        autoComplete="off"
        autoFocus={props.autoFocus}
        size={props.size}
        leftSection={props.sign}
        value={value}
        error={problem ?? error}
        onChange={event => {
          setLeft(false)
          const typed = event.currentTarget.value
          // The sign is already there.
          onChange(props.sign === '%' ? typed.replace(/\s*%\s*$/, '') : typed)
        }}
        onBlur={tidy}
        onKeyDown={event => {
          if (event.key === 'Enter') props.onEnter?.()
        }}
      />
      {!problem && !error && (
        <Text size="xs" c="dimmed" mt={4} role="status">
          {understood}
        </Text>
      )}
    </Box>
  )
}

function problemOf(read: ReturnType<typeof readNumber>, decimals: number): string | undefined {
  if ('value' in read || read.problem === 'empty') return undefined
  const example = writeNumber(decimals === 0 ? 1000 : 1000.5, decimals)
  if (read.problem === 'no_number') return t('form.noNumber', { example })
  if (read.problem === 'currency') return t('form.otherCurrency', { currency: currencyName() })
  if (read.meant === undefined)
    return decimals === 0 ? t('error.whole') : t('error.decimals', { max: decimals, count: decimals })
  const meant = writeNumber(read.meant, 0)
  return t('form.twoMeanings', { meant, mark: separators(locale()).decimal, example })
}
