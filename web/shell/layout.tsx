// The frame of every page behind the sign-in: brand, navigation, who is signed in. On a phone the first places are at
// the bottom, and "New" and the menu are at the top.

import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useRef } from 'react'
import { api } from '../api/client.ts'
import { customerQuery } from '../customers/data.ts'
import { LeaveGuard } from '../form/leave-guard.tsx'
import { mayLeave } from '../form/unsaved.ts'
import { CustomerOfPage, useZone } from '../period/use-period.ts'
import { Waits } from '../proposals/waits.tsx'
import { useSandboxTime } from '../sandbox/clock.ts'
import { useMay } from '../session/may.ts'
import { type Session, useSession, useSessionChange } from '../session/session.ts'
import { t } from '../words/words.ts'
import { AccountMenu } from './account-menu.tsx'
import { BrandMark } from './brand-mark.tsx'
import { Icon } from './icon.tsx'
import { OfflineBanner } from './offline.tsx'
import { bottomOf, type Place, placesOf } from './places.ts'
import { useShortcuts } from './shortcuts.ts'

/** A real deployment never loads it. */
const SandboxBar = lazy(async () => ({ default: (await import('../sandbox/bar.tsx')).SandboxBar }))

export function Layout() {
  const session = useSession()
  const may = useMay()
  const sandboxS = useSandboxTime()
  useShortcuts(session, may)
  const main = useRef<HTMLElement>(null)
  const { cuid } = useParams({ strict: false })
  const { data: looked } = useQuery({ ...customerQuery(cuid ?? 0), enabled: cuid !== undefined })
  const places = placesOf(session, may)
  const bottom = bottomOf(places, session)
  return (
    <>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        {t('shell.skip')}
      </button>
      <div className="app">
        <header className="topbar">
          <BrandMark brand={session.brand} />
          {session.customer && may.edit && (
            <Link to="/create" className="touch" aria-label={t('campaigns.new')}>
              <Icon name="plus" size={18} />
            </Link>
          )}
          <AccountMenu
            session={session}
            label={t('shell.menu')}
            places={places.filter(place => !bottom.includes(place))}
          />
        </header>
        <header className="side">
          <BrandMark brand={session.brand} />
          <nav className="nav" aria-label={t('shell.navigation')}>
            <Places places={places} session={session} />
          </nav>
          <Who session={session} />
        </header>
        <main ref={main} tabIndex={-1} className="main">
          <OfflineBanner />
          <CustomerOfPage value={looked}>
            {sandboxS !== null && (
              <Suspense>
                <SandboxBar nowS={sandboxS} />
              </Suspense>
            )}
            <Outlet />
            <ZoneName isCustomers={(session.customer ?? looked) !== undefined} />
          </CustomerOfPage>
        </main>
        <nav className="bottom" aria-label={t('shell.navigation')}>
          <Places places={bottom} session={session} />
        </nav>
      </div>
      <LeaveGuard />
    </>
  )
}

/** Shown once for the whole page. */
function ZoneName({ isCustomers }: { isCustomers: boolean }) {
  const zone = useZone()
  return (
    <Text component="footer" size="xs" c="dimmed" mt="lg" className="screen-only">
      {t(isCustomers ? 'campaigns.inZone' : 'shell.ownZone', { zone })}
    </Text>
  )
}

function Places({ places, session }: { places: readonly Place[]; session: Session }) {
  return places.map(({ to, icon, word }) => (
    <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
      <Icon name={icon} />
      <span>{word}</span>
      {to === '/proposals' && session.customer && <Waits customer={session.customer} />}
    </Link>
  ))
}

/** Who is signed in, and for which customer. */
function Who({ session }: { session: Session }) {
  const closing = useSessionChange<void>(() => api.closeCustomer())
  const navigate = useNavigate()
  const { customer, person, staff } = session
  const own = person?.name ?? person?.email ?? null
  const name = own ?? (staff ? t('shell.staff') : (customer?.name ?? null))
  return (
    <div className="who">
      {customer && staff && (
        <div className="acting">
          <Text size="xs" c="dimmed">
            {t('shell.openedAs')}
          </Text>
          <b className="trunc">{customer.company}</b>
          <Button
            size="xs"
            variant="default"
            fullWidth
            loading={closing.isPending}
            onClick={async () => {
              if (await mayLeave())
                closing.mutate(undefined, { onSuccess: () => navigate({ to: '/customers' }) })
            }}
          >
            {t('shell.closeCustomer')}
          </Button>
        </div>
      )}
      <span className="face" aria-hidden="true">
        {initialsOf(name ?? customer?.company ?? session.brand.title)}
      </span>
      <div className="names">
        <b className="trunc">{name ?? customer?.company}</b>
        {name !== null && customer && !staff && <span className="trunc s q">{customer.company}</span>}
      </div>
      <AccountMenu session={session} label={t('shell.account')} />
    </div>
  )
}

function initialsOf(name: string): string {
  const [first = '', ...rest] = name.split(/[\s@._-]+/).filter(Boolean)
  return `${first.charAt(0)}${(rest[0] ?? '').charAt(0)}`.toUpperCase()
}
