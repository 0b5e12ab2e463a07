// A moment as a wall clock of the deployment shows it, in the browser's own date field.

import { TextInput } from '@mantine/core'
import { unixToWall, wallToUnix } from '../period/zone.ts'

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
      value={value === null ? '' : unixToWall(value, timeZone)}
      onChange={event => {
        const wall = event.currentTarget.value
        onChange(wall === '' ? null : wallToUnix(wall, timeZone))
      }}
    />
  )
}
