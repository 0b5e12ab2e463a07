// Named switches side by side; where "all" is allowed, it has a switch of its own.

import { Chip, Fieldset, Group, Input } from '@mantine/core'

interface TogglesProps<K extends string> {
  legend: string
  keys: readonly K[]
  nameOf: (key: K) => string
  /** Null: no restriction. */
  value: Record<K, boolean> | null
  /** The name of the switch for no restriction; without it there is no such switch. */
  all?: string
  error?: string
  onChange: (value: Record<K, boolean> | null) => void
}

export function Toggles<K extends string>({
  legend,
  keys,
  nameOf,
  value,
  all,
  error,
  onChange,
}: TogglesProps<K>) {
  const none = Object.fromEntries(keys.map(key => [key, false])) as Record<K, boolean>
  return (
    <Fieldset legend={legend} variant="unstyled" aria-invalid={error ? true : undefined}>
      <Group gap="xs">
        {all && (
          <Chip
            checked={value === null}
            onChange={checked => onChange(checked ? null : { ...none, [keys[0]!]: true })}
          >
            {all}
          </Chip>
        )}
        {keys.map(key => (
          <Chip
            key={key}
            checked={value?.[key] ?? false}
            onChange={checked => {
              const next = { ...(value ?? none), [key]: checked }
              onChange(all && !keys.some(other => next[other]) ? null : next)
            }}
          >
            {nameOf(key)}
          </Chip>
        ))}
      </Group>
      {error && <Input.Error mt={6}>{error}</Input.Error>}
    </Fieldset>
  )
}
