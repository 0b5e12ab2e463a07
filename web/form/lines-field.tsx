// A list that is typed or pasted, one entry per line.

import { Textarea } from '@mantine/core'

interface LinesFieldProps {
  label: string
  about?: string
  /** As typed. */
  value: string
  error?: string
  rows?: number
  onChange: (typed: string) => void
}

export function LinesField({ label, about, value, error, rows = 2, onChange }: LinesFieldProps) {
  return (
    <Textarea
      label={label}
      description={about}
      autosize
      minRows={rows}
      maxRows={12}
      autoComplete="off"
      spellCheck={false}
      value={value}
      error={error}
      onChange={event => onChange(event.currentTarget.value)}
    />
  )
}

/** The entries, without empty lines; commas end an entry too. */
export function linesOf(typed: string): string[] {
  return typed
    .split(/[\n,]/)
    .map(line => line.trim())
    .filter(line => line !== '')
}
