// A person in a list: the name and the address beneath it, or the address alone.

import { Text } from '@mantine/core'

export function PersonName({ name, email }: { name: string | null; email: string }) {
  return (
    <>
      <Text size="sm" fw="var(--strong)">
        {name ?? email}
      </Text>
      {name !== null && (
        <Text size="xs" c="dimmed">
          {email}
        </Text>
      )}
    </>
  )
}
