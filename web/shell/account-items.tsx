// What belongs to the reader: account, language, light or dark, and signing out. On a phone also the places that do not
// fit at the bottom.

import { ActionIcon, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { api } from '../api/client.ts'
import { useDropdown } from '../form/open-dialogs.ts'
import { mayLeave } from '../form/unsaved.ts'
import { Waits } from '../proposals/waits.tsx'
import { type Session, useSessionChange } from '../session/session.ts'
import { LANGUAGES, type Language, language, t } from '../words/words.ts'
import { Icon } from './icon.tsx'
import type { Place } from './places.ts'
import { useSpeak } from './speak.ts'

export interface AccountMenuProps {
  session: Session
  label: string
  /** Listed before everything else. */
  places?: readonly Place[]
}

export function AccountItems({ session, label, places = [] }: AccountMenuProps) {
  const navigate = useNavigate()
  const dropdown = useDropdown()
  // Loaded because somebody asked for it, with a button that is gone: this one takes its place and its focus.
  const { onChange } = dropdown
  const first = useRef(onChange)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    button.current?.focus({ preventScroll: true })
    first.current(true)
  }, [])
  const leaving = useSessionChange<void>(() => api.signOut())
  const closing = useSessionChange<void>(() => api.closeCustomer())
  const go = async (change: typeof leaving, to: string) => {
    if (await mayLeave()) change.mutate(undefined, { onSuccess: () => navigate({ to }) })
  }
  return (
    // Inside the header, which is a landmark, and with menu items only.
    <Menu
      {...dropdown}
      position="bottom-end"
      width={240}
      shadow="md"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" size="lg" className="touch" aria-label={label}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.person?.email ?? (session.staff ? t('shell.staff') : session.customer?.email)}
        </Menu.Label>
        {places.map(({ to, icon, word }) => (
          <Menu.Item
            key={to}
            component={Link}
            to={to}
            leftSection={<Icon name={icon} />}
            rightSection={
              to === '/proposals' && session.customer ? <Waits customer={session.customer} /> : undefined
            }
          >
            {word}
          </Menu.Item>
        ))}
        {places.length === 0 && session.customer && (
          <Menu.Item component={Link} to="/account" leftSection={<Icon name="account" />}>
            {t('account.title')}
          </Menu.Item>
        )}
        {session.passkeys && (
          <Menu.Item component={Link} to="/passkeys" leftSection={<Icon name="key" />}>
            {t('passkeys.title')}
          </Menu.Item>
        )}
        {session.person && (
          <Menu.Item component={Link} to="/sessions" leftSection={<Icon name="user" />}>
            {t('sessions.title')}
          </Menu.Item>
        )}
        {session.customers.length > 1 && (
          <Menu.Item component={Link} to="/pick" leftSection={<Icon name="customers" />}>
            {t('pick.switch')}
          </Menu.Item>
        )}
        {places.length > 0 && session.staff && session.customer && (
          <Menu.Item leftSection={<Icon name="back" />} onClick={() => go(closing, '/customers')}>
            {t('shell.closeCustomer')}
          </Menu.Item>
        )}
        <Menu.Item component={Link} to="/shortcuts" leftSection={<Icon name="keyboard" />} className="desk">
          {t('shortcuts.title')}
        </Menu.Item>
        <Menu.Divider />
        <Look />
        <Menu.Divider />
        <Menu.Item onClick={() => go(leaving, '/sign-in')}>{t('shell.signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function Look() {
  const speak = useSpeak()
  const { setColorScheme } = useMantineColorScheme()
  const next = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark'
  return (
    <>
      <Menu.Item
        leftSection={<Icon name={next === 'dark' ? 'moon' : 'sun'} />}
        onClick={() => setColorScheme(next)}
      >
        {t(next === 'dark' ? 'shell.dark' : 'shell.light')}
      </Menu.Item>
      {(Object.keys(LANGUAGES) as Language[]).map(name => (
        <Menu.Item
          key={name}
          lang={name}
          leftSection={<Icon name={name === language() ? 'check' : 'globe'} />}
          onClick={() => speak(name)}
        >
          {LANGUAGES[name]}
        </Menu.Item>
      ))}
    </>
  )
}
