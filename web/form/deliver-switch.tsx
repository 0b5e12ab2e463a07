// The switch at the head of a page: whether what the page is about delivers.

import { Switch } from '@mantine/core'
import { useMay } from '../session/may.ts'

interface DeliverSwitchProps {
  label: string
  /** Its label is not seen: what stands beside it says the same. */
  isBare?: boolean
  checked: boolean
  disabled?: boolean
  onChange: (enabled: boolean) => void
}

/** Some may pause and not resume; those who may neither see the status alone. */
export function DeliverSwitch({ label, isBare, checked, disabled = false, onChange }: DeliverSwitchProps) {
  const may = useMay()
  if (!may.pause) return null
  return (
    <Switch
      {...(isBare ? { 'aria-label': label } : { label })}
      checked={checked}
      disabled={disabled || !(checked || may.edit)}
      onChange={event => onChange(event.currentTarget.checked)}
    />
  )
}
