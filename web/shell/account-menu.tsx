// The button of what belongs to the reader; the menu itself is loaded later.

import { ActionIcon } from '@mantine/core'
import { Suspense, useState } from 'react'
import type { AccountMenuProps } from './account-items.tsx'
import { Icon } from './icon.tsx'
import { lazyLater } from './later.ts'

const AccountItems = lazyLater(async () => (await import('./account-items.tsx')).AccountItems)

export function AccountMenu(props: AccountMenuProps) {
  const [asked, setAsked] = useState(false)
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      className="touch"
      aria-label={props.label}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setAsked(true)}
    >
      <Icon name="more" />
    </ActionIcon>
  )
  return asked ? (
    <Suspense fallback={button}>
      <AccountItems {...props} />
    </Suspense>
  ) : (
    button
  )
}
