// A page in front of the console: the brand, one question, and the preferences of the reader.

import { Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { BrandMark } from '../shell/brand-mark.tsx'
import { Preferences } from '../shell/preferences.tsx'
import { useSession } from './session.ts'

export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  const { brand } = useSession()
  return (
    <main className="sign-in">
      <Stack w="100%" maw={440} gap="lg">
        <BrandMark brand={brand} centred />
        <Paper p={{ base: 'lg', xs: 'xl' }} shadow="sm">
          <Title order={1} size="h3" mb="xs">
            {title}
          </Title>
          {children}
        </Paper>
        <Preferences />
      </Stack>
    </main>
  )
}
