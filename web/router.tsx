// The pages and their addresses, below the base that the server names in the page. Each page is a separate file that is
// loaded when it is first opened.

import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { consoleBase } from './api/client.ts'
import { keepPeriod, type PeriodSearch, readPeriodSearch } from './period/period.ts'
import { deepLinkOf } from './session/deep-link.ts'
import { type Session, sessionQuery, useSession } from './session/session.ts'
import { Layout } from './shell/layout.tsx'
import { Failed, lazyPage } from './shell/missing-part.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Waiting } from './shell/states.tsx'

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  notFoundComponent: () => <NotFound />,
})

const signInRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { to?: string } =>
    typeof search.to === 'string' ? { to: search.to } : {},
  component: lazyPage(() => import('./session/sign-in.page.tsx'), 'SignInPage'),
})

/** For a session that still lacks one step of the sign-in. */
const passkeyRoute = createRoute({
  getParentRoute: () => root,
  path: '/passkey',
  validateSearch: (search: Record<string, unknown>): { to?: string } =>
    typeof search.to === 'string' ? { to: search.to } : {},
  beforeLoad: async ({ context }) => {
    const { level } = await context.client.ensureQueryData(sessionQuery)
    if (level === 'none') throw redirect({ to: '/sign-in' })
  },
  component: lazyPage(() => import('./session/passkey.page.tsx'), 'PasskeyPage'),
})

const pickRoute = createRoute({
  getParentRoute: () => root,
  path: '/pick',
  beforeLoad: async ({ context }) => {
    const { level, waitsFor } = await context.client.ensureQueryData(sessionQuery)
    if (level === 'none') throw redirect({ to: '/sign-in' })
    if (waitsFor) throw redirect({ to: '/passkey' })
  },
  component: lazyPage(() => import('./session/pick.page.tsx'), 'PickPage'),
})

/** A program asks the reader; whoever works for several customers picks one there. */
const connectRoute = createRoute({
  getParentRoute: () => root,
  path: '/connect',
  validateSearch: (search: Record<string, unknown>): { request?: string } =>
    typeof search.request === 'string' ? { request: search.request } : {},
  beforeLoad: async ({ context, location }) => {
    const { level, waitsFor } = await context.client.ensureQueryData(sessionQuery)
    if (level === 'none') throw redirect({ to: '/sign-in', search: { to: deepLinkOf(location.href) } })
    if (waitsFor) throw redirect({ to: '/passkey', search: { to: deepLinkOf(location.href) } })
  },
  component: lazyPage(() => import('./agents/connect.page.tsx'), 'ConnectPage'),
})

/** Everything behind the sign-in; the period stays in the address from page to page. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Layout,
  validateSearch: (search: Record<string, unknown>): PeriodSearch => readPeriodSearch(search),
  search: { middlewares: [({ search, next }) => keepPeriod(search, next(search))] },
  beforeLoad: async ({ context, location }) => {
    const session: Session = await context.client.ensureQueryData(sessionQuery)
    if (session.level === 'none') {
      throw redirect({ to: '/sign-in', search: { to: deepLinkOf(location.href) } })
    }
    if (session.waitsFor) throw redirect({ to: '/passkey', search: { to: deepLinkOf(location.href) } })
    if (session.level === 'person') throw redirect({ to: '/pick' })
    return { session }
  },
})

const shortcutsRoute = createRoute({
  getParentRoute: () => inside,
  path: '/shortcuts',
  component: lazyPage(() => import('./shell/shortcuts.page.tsx'), 'ShortcutsPage'),
})

const passkeysRoute = createRoute({
  getParentRoute: () => inside,
  path: '/passkeys',
  beforeLoad: ({ context }) => {
    if (!context.session.passkeys) throw redirect({ to: '/' })
  },
  component: lazyPage(() => import('./account/passkeys.page.tsx'), 'PasskeysPage'),
})

const sessionsRoute = createRoute({
  getParentRoute: () => inside,
  path: '/sessions',
  beforeLoad: ({ context }) => {
    if (!context.session.person) throw redirect({ to: '/' })
  },
  component: lazyPage(() => import('./account/sessions.page.tsx'), 'SessionsPage'),
})

const ofCustomer = createRoute({
  getParentRoute: () => inside,
  id: 'customer',
  beforeLoad: ({ context }) => {
    if (!context.session.customer) throw redirect({ to: '/customers' })
  },
  component: PagesOfCustomer,
})

/** Nothing in the moment between leaving the customer and the next page. */
function PagesOfCustomer() {
  const { customer } = useSession()
  return customer && <Outlet key={customer.cuid} />
}

const overviewRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/',
  component: lazyPage(() => import('./overview/overview.page.tsx'), 'OverviewPage'),
})
const campaignsRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/campaigns',
  component: lazyPage(() => import('./campaigns/campaigns.page.tsx'), 'CampaignsPage'),
})
const binRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/bin',
  component: lazyPage(() => import('./bin/bin.page.tsx'), 'BinPage'),
})
const createFlowRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/create',
  component: lazyPage(() => import('./campaigns/create.page.tsx'), 'CreatePage'),
})
const tabSearch = (search: Record<string, unknown>): { tab?: string } =>
  typeof search.tab === 'string' ? { tab: search.tab } : {}
const accountRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/account',
  validateSearch: tabSearch,
  component: lazyPage(() => import('./account/account.page.tsx'), 'AccountPage'),
})
const statementRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/statement',
  component: lazyPage(() => import('./balance/statement.page.tsx'), 'OwnStatementPage'),
})
const statisticsRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/statistics',
  component: lazyPage(() => import('./stats/statistics.page.tsx'), 'StatisticsPage'),
})

const proposalsRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/proposals',
  validateSearch: (search: Record<string, unknown>): { id?: number } =>
    Number.isSafeInteger(search.id) ? { id: search.id as number } : {},
  component: lazyPage(() => import('./proposals/proposals.page.tsx'), 'ProposalsPage'),
})
const conversionsRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/conversions',
  component: lazyPage(() => import('./conversions/conversions.page.tsx'), 'ConversionsPage'),
})

const idParam = (name: string) => (params: Record<string, string>) => {
  const id = Number(params[name])
  if (!Number.isSafeInteger(id) || id < 1) throw notFound()
  return id
}
const readCid = idParam('cid')
const readFid = idParam('fid')
const readPid = idParam('pid')
const readBid = idParam('bid')
const readCuid = idParam('cuid')
const readWid = idParam('wid')
const readSourceId = idParam('sourceId')

export const campaignRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/campaigns/$cid',
  params: { parse: params => ({ cid: readCid(params) }), stringify: ({ cid }) => ({ cid: String(cid) }) },
  validateSearch: tabSearch,
  component: lazyPage(() => import('./campaigns/campaign.page.tsx'), 'CampaignPage'),
})
const createdRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/campaigns/$cid/created',
  params: { parse: params => ({ cid: readCid(params) }), stringify: ({ cid }) => ({ cid: String(cid) }) },
  component: lazyPage(() => import('./campaigns/created.page.tsx'), 'CreatedPage'),
})
export const newPersonaRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/campaigns/$cid/new-persona',
  params: { parse: params => ({ cid: readCid(params) }), stringify: ({ cid }) => ({ cid: String(cid) }) },
  component: lazyPage(() => import('./personas/new-persona.page.tsx'), 'NewPersonaPage'),
})
export const flightRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/campaigns/$cid/flights/$fid',
  params: {
    parse: params => ({ cid: readCid(params), fid: readFid(params) }),
    stringify: ({ cid, fid }) => ({ cid: String(cid), fid: String(fid) }),
  },
  validateSearch: tabSearch,
  component: lazyPage(() => import('./flights/flight.page.tsx'), 'FlightPage'),
})
export const personaRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/campaigns/$cid/personas/$pid',
  params: {
    parse: params => ({ cid: readCid(params), pid: readPid(params) }),
    stringify: ({ cid, pid }) => ({ cid: String(cid), pid: String(pid) }),
  },
  validateSearch: tabSearch,
  component: lazyPage(() => import('./personas/persona.page.tsx'), 'PersonaPage'),
})
export const bannerRoute = createRoute({
  getParentRoute: () => ofCustomer,
  path: '/campaigns/$cid/personas/$pid/banners/$bid',
  params: {
    parse: params => ({ cid: readCid(params), pid: readPid(params), bid: readBid(params) }),
    stringify: ({ cid, pid, bid }) => ({ cid: String(cid), pid: String(pid), bid: String(bid) }),
  },
  validateSearch: tabSearch,
  component: lazyPage(() => import('./banners/banner.page.tsx'), 'BannerPage'),
})
const customersRoute = createRoute({
  getParentRoute: () => inside,
  path: '/customers',
  beforeLoad: ({ context }) => {
    if (!context.session.staff) throw redirect({ to: '/' })
  },
  component: lazyPage(() => import('./cockpit/cockpit.page.tsx'), 'CockpitPage'),
})

/**
 * Pages of the app itself. Staff acting as a customer see only what that customer sees, and return to the app first.
 */
const ofApp = createRoute({
  getParentRoute: () => inside,
  id: 'app',
  beforeLoad: ({ context }) => {
    if (context.session.level !== 'app') throw redirect({ to: context.session.staff ? '/customers' : '/' })
  },
})
const brandRoute = createRoute({
  getParentRoute: () => ofApp,
  path: '/brand',
  component: lazyPage(() => import('./customers/brand.page.tsx'), 'BrandPage'),
})
/** Only admins see who is on the staff. */
const staffRoute = createRoute({
  getParentRoute: () => ofApp,
  path: '/staff',
  beforeLoad: ({ context }) => {
    if (context.session.right !== 'all') throw redirect({ to: '/customers' })
  },
  component: lazyPage(() => import('./staff/staff.page.tsx'), 'StaffPage'),
})
const reviewRoute = createRoute({
  getParentRoute: () => ofApp,
  path: '/review',
  component: lazyPage(() => import('./review/review.page.tsx'), 'ReviewPage'),
})
const sourcesRoute = createRoute({
  getParentRoute: () => ofApp,
  path: '/sources',
  component: lazyPage(() => import('./sources/sources.page.tsx'), 'SourcesPage'),
})
const sourceRoute = createRoute({
  getParentRoute: () => ofApp,
  path: '/sources/$sourceId',
  params: {
    parse: params => ({ sourceId: readSourceId(params) }),
    stringify: ({ sourceId }) => ({ sourceId: String(sourceId) }),
  },
  component: lazyPage(() => import('./sources/source.page.tsx'), 'SourcePage'),
})
const siteListsRoute = createRoute({
  getParentRoute: () => ofApp,
  path: '/site-lists',
  component: lazyPage(() => import('./site-lists/site-lists.page.tsx'), 'SiteListsPage'),
})
const attributesRoute = createRoute({
  getParentRoute: () => ofApp,
  path: '/attributes',
  component: lazyPage(() => import('./attributes/attributes.page.tsx'), 'AttributesPage'),
})
export const customerRoute = createRoute({
  getParentRoute: () => ofApp,
  path: '/customers/$cuid',
  params: {
    parse: params => ({ cuid: readCuid(params) }),
    stringify: ({ cuid }) => ({ cuid: String(cuid) }),
  },
  validateSearch: tabSearch,
  component: lazyPage(() => import('./customers/customer.page.tsx'), 'CustomerPage'),
})
export const customerStatementRoute = createRoute({
  getParentRoute: () => ofApp,
  path: '/customers/$cuid/statement',
  params: {
    parse: params => ({ cuid: readCuid(params) }),
    stringify: ({ cuid }) => ({ cuid: String(cuid) }),
  },
  component: lazyPage(() => import('./balance/statement.page.tsx'), 'CustomerStatementPage'),
})
const webhooksRoute = createRoute({
  getParentRoute: () => ofApp,
  path: '/webhooks',
  component: lazyPage(() => import('./webhooks/webhooks.page.tsx'), 'WebhooksPage'),
})
export const webhookRoute = createRoute({
  getParentRoute: () => ofApp,
  path: '/webhooks/$wid',
  params: { parse: params => ({ wid: readWid(params) }), stringify: ({ wid }) => ({ wid: String(wid) }) },
  validateSearch: tabSearch,
  component: lazyPage(() => import('./webhooks/webhook.page.tsx'), 'WebhookPage'),
})

const tree = root.addChildren([
  signInRoute,
  passkeyRoute,
  pickRoute,
  connectRoute,
  inside.addChildren([
    ofCustomer.addChildren([
      overviewRoute,
      campaignsRoute,
      binRoute,
      createFlowRoute,
      statisticsRoute,
      accountRoute,
      statementRoute,
      proposalsRoute,
      conversionsRoute,
      campaignRoute,
      createdRoute,
      flightRoute,
      newPersonaRoute,
      personaRoute,
      bannerRoute,
    ]),
    passkeysRoute,
    sessionsRoute,
    shortcutsRoute,
    customersRoute,
    ofApp.addChildren([
      customerRoute,
      customerStatementRoute,
      reviewRoute,
      sourcesRoute,
      sourceRoute,
      siteListsRoute,
      attributesRoute,
      brandRoute,
      staffRoute,
      webhooksRoute,
      webhookRoute,
    ]),
  ]),
])

export function createConsoleRouter(client: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: consoleBase.pathname,
    context: { client },
    defaultPreload: 'intent',
    defaultPendingComponent: () => <Waiting />,
    defaultErrorComponent: Failed,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
