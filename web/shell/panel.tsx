// A panel of a page: a titled card.

import { Box, Group, Paper, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface PanelProps {
  title: string
  about?: string
  actions?: ReactNode
  /** Without padding, for tables. */
  flush?: boolean
  children: ReactNode
}

export function Panel({ title, about, actions, flush, children }: PanelProps) {
  const id = useId()
  return (
    <Paper component="section" aria-labelledby={id} style={{ overflow: 'hidden' }}>
      <Group justify="space-between" px="lg" pt="md" pb={flush ? 'sm' : 0} gap="sm">
        <div>
          <Title order={2} size="h5" id={id}>
            {title}
          </Title>
          {about && (
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      <Box p={flush ? 0 : 'lg'} pt={flush ? 0 : 'md'}>
        {children}
      </Box>
    </Paper>
  )
}
