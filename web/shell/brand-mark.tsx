// The app's own name and logo, or ours if it has none.

import { Group, Text } from '@mantine/core'
import { imageUrl } from '../api/client.ts'
import type { Brand } from '../session/session.ts'

export function BrandMark({ brand, centred = false }: { brand: Brand; centred?: boolean }) {
  return (
    <Group gap={10} wrap="nowrap" justify={centred ? 'center' : 'flex-start'}>
      {brand.logo ? (
        <img src={imageUrl(brand.logo)} alt="" height={30} style={{ maxWidth: 140, objectFit: 'contain' }} />
      ) : (
        <OwnMark />
      )}
      <Text fw={700} size={centred ? 'xl' : 'lg'} lh={1} truncate>
        {brand.title}
      </Text>
    </Group>
  )
}

function OwnMark() {
  return (
    <svg width={30} height={30} viewBox="0 0 32 32" aria-hidden="true" style={{ flexShrink: 0 }}>
      <rect width="32" height="32" rx="9" fill="var(--mantine-color-brand-6)" />
      <path
        d="M8 23V10l8 8 8-8v13"
        fill="none"
        stroke="#fff"
        strokeWidth="3.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
