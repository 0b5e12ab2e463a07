// The rarely used actions of a page behind one button, so that the everyday ones stay in sight. Without actions there
// is no button.

import { ActionIcon, Menu } from '@mantine/core'
import { useRef } from 'react'
import { Icon, type IconName } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { useOnce } from './once.ts'
import { useDropdown } from './open-dialogs.ts'

export interface Deed {
  icon: IconName
  word: string
  /** It destroys something. */
  isGrave?: boolean
  isBusy?: boolean
  onDo: () => void
}

export function MoreMenu({ deeds }: { deeds: readonly Deed[] }) {
  const button = useRef<HTMLButtonElement>(null)
  const dropdown = useDropdown()
  if (deeds.length === 0) return null
  // A dialog returns the focus to the element that had it, and the menu item is gone by then.
  const onDo = (deed: Deed) => {
    button.current?.focus({ preventScroll: true })
    deed.onDo()
  }
  return (
    <Menu
      {...dropdown}
      position="bottom-end"
      shadow="md"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon
          ref={button}
          variant="default"
          size={34}
          w="var(--control)"
          h="var(--control)"
          className="touch"
          aria-label={t('form.more')}
        >
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {deeds.map(deed => (
          <Item key={deed.word} {...deed} onDo={() => onDo(deed)} />
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Item({ icon, word, isGrave = false, isBusy = false, onDo }: Deed) {
  const once = useOnce(isBusy, onDo)
  return (
    <Menu.Item
      leftSection={<Icon name={icon} />}
      disabled={isBusy}
      {...(isGrave && { c: 'var(--bad)' })}
      onClick={once}
    >
      {word}
    </Menu.Item>
  )
}
