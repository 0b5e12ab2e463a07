// A moment as a wall clock of the deployment shows it, in the browser's own date field.

import { TextInput } from '@mantine/core'
import { fullTime } from '../format/format.ts'
import { unixToWall, wallToUnix } from '../period/zone.ts'
import { inWords } from './in-words.tsx'

interface WallTimeProps {
  label: string
  description?: string
  /** Unix seconds; null while the field is empty. */
  value: number | null
  timeZone: string
  error?: string
  required?: boolean
  onChange: (unixS: number | null) => void
}

export function WallTime({ value, timeZone, onChange, ...field }: WallTimeProps) {
  return (
    <TextInput
      type="datetime-local"
      {...field}
      // Without a maximum, the browser waits for years of six digits.
      max="9999-12-31T23:59"
      value={value === null ? '' : unixToWall(value, timeZone)}
      inputContainer={inWords(value === null ? null : fullTime(value, timeZone))}
      onChange={event => {
        const wall = event.currentTarget.value
        onChange(wall === '' ? null : wallToUnix(wall, timeZone))
      }}
    />
  )
}
