// The frame of every page behind the sign-in: brand, navigation, who is signed in.

import { ActionIcon, AppShell, Badge, Box, Burger, Button, Group, Menu, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useRef } from 'react'
import { api } from '../api/client.ts'
import { LeaveGuard } from '../form/leave-guard.tsx'
import { mayLeave } from '../form/unsaved.ts'
import { useZone } from '../period/use-period.ts'
import { waitingQuery } from '../proposals/data.ts'
import { useSandboxTime } from '../sandbox/clock.ts'
import { type May, useMay } from '../session/may.ts'
import { type Session, useSession, useSessionChange } from '../session/session.ts'
import { LANGUAGES, type Language, language, t } from '../words/words.ts'
import { BrandMark } from './brand-mark.tsx'
import { Icon, type IconName } from './icon.tsx'
import { OfflineBanner } from './offline.tsx'
import { SchemeSwitch } from './preferences.tsx'
import { useSpeak } from './speak.ts'

/** A real deployment never loads it. */
const SandboxBar = lazy(async () => ({ default: (await import('../sandbox/bar.tsx')).SandboxBar }))

export function Layout() {
  const session = useSession()
  const may = useMay()
  const sandboxS = useSandboxTime()
  const [opened, { toggle, close }] = useDisclosure()
  const main = useRef<HTMLElement>(null)
  return (
    <>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        {t('shell.skip')}
      </button>
      <AppShell
        header={{ height: 60 }}
        navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
        padding={{ base: 'md', md: 'xl' }}
      >
        <AppShell.Header px={{ base: 'md', md: 'lg' }}>
          <Group h="100%" justify="space-between" wrap="nowrap">
            <Group wrap="nowrap" gap="sm" miw={0}>
              <Burger
                opened={opened}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={t('shell.menu')}
              />
              <BrandMark brand={session.brand} />
            </Group>
            <Group gap="xs" wrap="nowrap">
              {session.customer && may.edit && (
                <Button
                  component={Link}
                  to="/create"
                  leftSection={<Icon name="plus" size={16} />}
                  visibleFrom="xs"
                >
                  {t('campaigns.new')}
                </Button>
              )}
              <SchemeSwitch />
              <AccountMenu session={session} />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="md">
          <Navigation session={session} onGo={close} />
        </AppShell.Navbar>
        <AppShell.Main ref={main} tabIndex={-1} className="main">
          <Box maw={1480} mx="auto">
            <OfflineBanner />
            {sandboxS !== null && (
              <Suspense>
                <SandboxBar nowS={sandboxS} />
              </Suspense>
            )}
            <Outlet />
            <ZoneName session={session} />
          </Box>
        </AppShell.Main>
      </AppShell>
      <LeaveGuard />
    </>
  )
}

/** Once for everything on the page. */
function ZoneName({ session }: { session: Session }) {
  const zone = useZone()
  return (
    <Text component="footer" size="xs" c="dimmed" mt="lg">
      {t(session.customer ? 'campaigns.inZone' : 'shell.ownZone', { zone })}
    </Text>
  )
}

interface Place {
  to: string
  icon: IconName
  word: string
}

function placesOf(session: Session, may: May): Place[] {
  const own: Place[] = [
    { to: '/', icon: 'overview', word: t('shell.overview') },
    { to: '/campaigns', icon: 'campaigns', word: t('shell.campaigns') },
    { to: '/statistics', icon: 'statistics', word: t('shell.statistics') },
    { to: '/conversions', icon: 'check', word: t('conversions.title') },
    { to: '/proposals', icon: 'edit', word: t('proposals.title') },
  ]
  const staff: Place[] = [{ to: '/customers', icon: 'customers', word: t('shell.customers') }]
  const app: Place[] = [
    { to: '/sources', icon: 'globe', word: t('sources.title') },
    { to: '/webhooks', icon: 'bell', word: t('shell.webhooks') },
    ...(may.edit ? [{ to: '/brand', icon: 'image', word: t('brand.title') } as const] : []),
  ]
  return [
    ...(session.customer ? own : []),
    ...(session.staff ? staff : []),
    ...(session.level === 'app' ? app : []),
  ]
}

function Navigation({ session, onGo }: { session: Session; onGo: () => void }) {
  const may = useMay()
  return (
    <Stack h="100%" justify="space-between">
      <Stack component="nav" gap={4} className="nav" aria-label={t('shell.navigation')}>
        {placesOf(session, may).map(place => (
          <Link
            key={place.to}
            to={place.to}
            onClick={onGo}
            activeOptions={{ exact: place.to === '/', includeSearch: false }}
          >
            <Icon name={place.icon} />
            {place.word}
            {place.to === '/proposals' && session.customer && <Waits customer={session.customer} />}
          </Link>
        ))}
      </Stack>
      {session.customer && <CurrentCustomer session={session} />}
    </Stack>
  )
}

/** How many proposals wait for a decision. */
function Waits({ customer }: { customer: NonNullable<Session['customer']> }) {
  const { data: count } = useQuery(waitingQuery(customer))
  if (count === 0) return null
  return (
    <Badge size="sm" ml="auto" aria-label={t('proposals.waiting', { count })}>
      {count}
    </Badge>
  )
}

function CurrentCustomer({ session }: { session: Session }) {
  const closing = useSessionChange<void>(() => api.closeCustomer())
  const navigate = useNavigate()
  return (
    <Box p="sm" style={{ borderRadius: 10, background: 'var(--page)' }}>
      <Text size="xs" c="dimmed">
        {t(session.staff ? 'shell.openedAs' : 'shell.signedInAs')}
      </Text>
      <Text size="sm" fw={600} truncate>
        {session.customer?.company}
      </Text>
      {session.staff && (
        <Button
          size="compact-xs"
          variant="default"
          mt={8}
          loading={closing.isPending}
          onClick={async () => {
            if (await mayLeave())
              closing.mutate(undefined, { onSuccess: () => navigate({ to: '/customers' }) })
          }}
        >
          {t('shell.closeCustomer')}
        </Button>
      )}
    </Box>
  )
}

function AccountMenu({ session }: { session: Session }) {
  const speak = useSpeak()
  const navigate = useNavigate()
  const leaving = useSessionChange<void>(() => api.signOut())
  const leave = async () => {
    if (await mayLeave()) leaving.mutate(undefined, { onSuccess: () => navigate({ to: '/sign-in' }) })
  }
  return (
    // In the header, which is a landmark, and with nothing in it that is no item of a menu.
    <Menu
      position="bottom-end"
      width={230}
      shadow="md"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={t('shell.account')}>
          <Icon name="user" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.person?.email ?? (session.staff ? t('shell.staff') : session.customer?.email)}
        </Menu.Label>
        {session.customer && (
          <Menu.Item component={Link} to="/account" leftSection={<Icon name="user" size={16} />}>
            {t('account.title')}
          </Menu.Item>
        )}
        {session.customers.length > 1 && (
          <Menu.Item component={Link} to="/pick" leftSection={<Icon name="customers" size={16} />}>
            {t('pick.switch')}
          </Menu.Item>
        )}
        {(Object.keys(LANGUAGES) as Language[]).map(name => (
          <Menu.Item
            key={name}
            lang={name}
            leftSection={<Icon name={name === language() ? 'check' : 'globe'} size={16} />}
            onClick={() => speak(name)}
          >
            {LANGUAGES[name]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={leave}>{t('shell.signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
