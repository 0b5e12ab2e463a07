// The box and the switch of a row. They are the browser's own elements, styled: scrolling a table draws dozens of them
// per second, and a library's component takes many times as long.

interface ControlProps {
  label: string
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
}

interface TickProps extends Omit<ControlProps, 'onChange'> {
  /** Some, but not all. */
  partly?: boolean
  /** `isRange`: the Shift key was held. */
  onChange: (checked: boolean, isRange: boolean) => void
}

export function Tick({ label, checked, partly = false, onChange }: TickProps) {
  return (
    <input
      type="checkbox"
      className="tick"
      aria-label={label}
      checked={checked}
      ref={box => {
        if (box) box.indeterminate = partly
      }}
      onChange={event => onChange(event.currentTarget.checked, (event.nativeEvent as MouseEvent).shiftKey)}
    />
  )
}

export function OnOff({ label, checked, disabled = false, onChange }: ControlProps) {
  return (
    <input
      type="checkbox"
      role="switch"
      aria-checked={checked}
      className="on-off"
      aria-label={label}
      checked={checked}
      disabled={disabled}
      onChange={event => onChange(event.currentTarget.checked)}
    />
  )
}
