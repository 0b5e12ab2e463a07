// The switch at the head of a page: whether its subject delivers.

import { Switch } from '@mantine/core'
import { useMay } from '../session/may.ts'
import { OnOff } from '../table/controls.tsx'

interface DeliverSwitchProps {
  label: string
  /** The label is hidden: the text beside it says the same. */
  isBare?: boolean
  checked: boolean
  disabled?: boolean
  onChange: (enabled: boolean) => void
}

/** Some may pause but not resume; those who may do neither see only the status. */
export function DeliverSwitch({ label, isBare, checked, disabled = false, onChange }: DeliverSwitchProps) {
  const may = useMay()
  if (!may.pause) return null
  const isDisabled = disabled || !(checked || may.edit)
  if (isBare) return <OnOff label={label} checked={checked} disabled={isDisabled} onChange={onChange} />
  return (
    <Switch
      label={label}
      checked={checked}
      disabled={isDisabled}
      onChange={event => onChange(event.currentTarget.checked)}
    />
  )
}
