// Management as a part of the service: every endpoint that reads and changes what customers own, with the console and
// the documentation. It keeps no state, so any number of processes may run it.

import { fileURLToPath } from 'node:url'
import { ownAgentRoutes } from '../console/agents/routes.ts'
import { createAttempts } from '../console/attempts.ts'
import { ownSessionRoutes } from '../console/own-sessions/routes.ts'
import { consolePages } from '../console/pages.ts'
import { passkeyRoutes } from '../console/passkeys/routes.ts'
import { type ConsoleParts, consoleRoutes } from '../console/routes.ts'
import { cockpitRoutes } from '../diagnose/cockpit/routes.ts'
import { issueRoutes } from '../diagnose/issues/routes.ts'
import { reachRoutes } from '../diagnose/reach/routes.ts'
import { type Api, type ApiOptions, createApi } from '../http/api.ts'
import { answerPreflights, type Origins } from '../http/cross-origin.ts'
import type { EndpointSpec } from '../http/endpoint.ts'
import { createProgramDocuments, createPrograms } from '../identity/agents/programs.ts'
import { authorizationRoutes } from '../identity/agents/routes.ts'
import type { CredentialCheck } from '../identity/credentials.ts'
import type { Failures } from '../identity/failures.ts'
import type { SessionCookie } from '../identity/sessions/cookie.ts'
import type { Sessions } from '../identity/sessions/sessions.ts'
import { staffRoutes } from '../identity/staff/routes.ts'
import type { Clock } from '../kernel/time/clock.ts'
import { calendarOf } from '../kernel/time/day.ts'
import { attributeRoutes } from '../manage/attributes/routes.ts'
import { byHandRoutes } from '../manage/banners/by-hand/routes.ts'
import type { LandingParts } from '../manage/banners/landing/landing.ts'
import { landingRoutes } from '../manage/banners/landing/routes.ts'
import { bannerRoutes, uploadRoutes } from '../manage/banners/routes.ts'
import type { UploadParts } from '../manage/banners/uploads.ts'
import { bulkRoutes } from '../manage/bulk/routes.ts'
import { binRoutes } from '../manage/campaigns/bin/routes.ts'
import type { CampaignParts } from '../manage/campaigns/campaigns.ts'
import { flightRoutes } from '../manage/campaigns/flights/routes.ts'
import { campaignRoutes } from '../manage/campaigns/routes.ts'
import { type CustomerParts, customerRoutes } from '../manage/customers/routes.ts'
import { jobRoutes } from '../manage/jobs/routes.ts'
import { noteRoutes } from '../manage/notes/routes.ts'
import { orderRoutes } from '../manage/orders/routes.ts'
import { personaRoutes } from '../manage/personas/routes.ts'
import { proposalRoutes } from '../manage/proposals/routes.ts'
import { referenceRoutes } from '../manage/reference/routes.ts'
import { siteListRoutes } from '../manage/site-lists/routes.ts'
import { sourceRoutes } from '../manage/sources/routes.ts'
import type { SiteFiles } from '../manage/sources/site-files.ts'
import { undoRoutes } from '../manage/undo/routes.ts'
import { beginMails } from '../notify/mails/mails.ts'
import { mailPages, mailRoutes } from '../notify/mails/routes.ts'
import { webhookRoutes } from '../notify/webhooks/routes.ts'
import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { type Mailer, outboxOf } from '../platform/mail.ts'
import { secretNamed } from '../platform/secrets.ts'
import { accounts } from '../report/accounts/accounts.ts'
import { accountRoutes } from '../report/accounts/routes.ts'
import { statsRoutes } from '../report/figures/routes.ts'
import { reportRoutes } from '../report/resellers/routes.ts'
import { savedViewRoutes } from '../report/saved-views/routes.ts'
import { type AgentParts, agentRoutes, ENTRANCE } from './agents/routes.ts'
import { docsRoutes } from './docs/routes.ts'
import { documentOf } from './documents.ts'

export interface ManagementParts {
  config: Config
  clock: Clock
  log: Log
  mail: Mailer
  credentials: CredentialCheck
  sessions: Sessions
  origins: Origins
  failures: Failures
  cookie: SessionCookie
  campaigns: CampaignParts
  creatives: UploadParts
  landing: LandingParts
  makeLogo: ConsoleParts['makeLogo']
  siteFiles: SiteFiles
  agents: Pick<AgentParts, 'gate' | 'limiter'>
}

/** The built console: beside `src/` in the build, or in the build folder if this runs from the sources. */
const WEB_DIR = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/web' : '../../web', import.meta.url),
)

function tellPeopleAndApps(api: Api, { config, clock }: ManagementParts): void {
  mailRoutes(api, { clock, timeZone: config.TIMEZONE })
  mailPages(api, { clock, timeZone: config.TIMEZONE })
  webhookRoutes(api, { clock, allowPrivate: config.ALLOW_PRIVATE_WEBHOOKS })
}

function firstMails(config: Config): CustomerParts['beginMails'] {
  return async (tx, { cuid, timezone }, now) => {
    if (config.WEEKLY_REPORT) await beginMails(tx, cuid, calendarOf(timezone ?? config.TIMEZONE), now)
  }
}

export async function manage(api: Api, options: ApiOptions, parts: ManagementParts): Promise<void> {
  const { config, clock, log, mail, credentials, sessions, cookie, creatives } = parts
  const { db, fastify } = api
  const signIn = {
    db,
    mail,
    clock,
    credentials,
    publicUrl: config.PUBLIC_URL,
    passcodeLimit: config.PASSCODE_LIMIT,
  }
  customerRoutes(api, {
    ...signIn,
    accounts,
    beginMails: firstMails(config),
    credentialTtlSeconds: config.CREDENTIAL_TTL,
    restoreWithinS: config.RESTORE_WITHIN,
    outboxDir: outboxOf(config.DATA_DIR),
    timeZone: config.TIMEZONE,
  })
  staffRoutes(api, { clock, mail, publicUrl: config.PUBLIC_URL })
  accountRoutes(api, { clock, currency: config.CURRENCY, timeZone: config.TIMEZONE })
  const managed = { ...parts.campaigns, restoreWithinS: config.RESTORE_WITHIN }
  campaignRoutes(api, managed)
  flightRoutes(api, managed)
  binRoutes(api, managed)
  noteRoutes(api, { clock })
  personaRoutes(api, managed)
  bannerRoutes(api, managed)
  byHandRoutes(api, { clock })
  landingRoutes(api, parts.landing)
  orderRoutes(api, { ...managed, mostObjects: config.JOB_OBJECTS })
  jobRoutes(api)
  bulkRoutes(api)
  undoRoutes(api)
  reachRoutes(api, { clock, calendar: parts.campaigns.calendar })
  proposalRoutes(api, { clock, publicUrl: config.PUBLIC_URL, timeZone: config.TIMEZONE })
  await fastify.register(async child => {
    const uploads = createApi({ ...options, fastify: child })
    uploadRoutes(uploads, creatives)
    api.endpoints.push(...uploads.endpoints)
  })
  referenceRoutes(api)
  statsRoutes(api, { clock, timeZone: config.TIMEZONE, log })
  savedViewRoutes(api, { clock, timeZone: config.TIMEZONE })
  reportRoutes(api, { timeZone: config.TIMEZONE, currency: config.CURRENCY })
  manageRequests(api, parts)
  const diagnosed = { clock, timeZone: config.TIMEZONE, openAds: config.VISITOR_OPEN_ADS }
  issueRoutes(api, diagnosed)
  cockpitRoutes(api, diagnosed)
  tellPeopleAndApps(api, parts)
  docsRoutes(api, { publicUrl: config.PUBLIC_URL, document: () => documentOf(api) })
  answerPreflights(fastify, api.endpoints, parts.origins, offerAgents(api, parts))
  const { PASSCODE_LIMIT: passcodeLimit, SIGN_IN_LIMIT: signInLimit } = config
  const attempts = createAttempts({ passcodeLimit, signInLimit }, clock)
  const ofConsole = {
    ...signIn,
    sessions,
    cookie,
    attempts,
    currency: config.CURRENCY,
    defaultCpmMicros: config.DEFAULT_CPM,
    timeZone: config.TIMEZONE,
    restoreWithinS: config.RESTORE_WITHIN,
  }
  consoleRoutes(api, { ...ofConsole, makeLogo: parts.makeLogo, log })
  passkeyRoutes(api, ofConsole)
  ownSessionRoutes(api, ofConsole)
  consolePages(fastify, { webDir: WEB_DIR, publicUrl: config.PUBLIC_URL, cookie })
}

/** Returns where they come in. */
function offerAgents(api: Api, parts: ManagementParts): EndpointSpec[] {
  const { AGENTS, CURRENCY: currency, TIMEZONE: timeZone } = parts.config
  if (AGENTS === 'off') return []
  const { clock, log, agents } = parts
  agentRoutes(api, { ...agents, clock, log, currency, timeZone })
  letAgentsIn(api, parts)
  return [ENTRANCE]
}

/** Programs that people let act for them: how they ask, and how people answer. */
function letAgentsIn(api: Api, { config, clock, credentials, sessions, failures }: ManagementParts): void {
  const { db, fastify, publicUrl } = api
  const allowPrivate = config.ALLOW_PRIVATE_CREATIVES
  const secret = () => secretNamed(db, 'agents')
  const documents = createProgramDocuments({ allowPrivate })
  const programs = createPrograms({ db, clock, documents, allowPlain: allowPrivate, secret })
  const shared = { clock, credentials, programs, publicUrl, credentialTtlSeconds: config.CREDENTIAL_TTL }
  authorizationRoutes({ ...shared, fastify, db, failures, secret })
  ownAgentRoutes(api, { ...shared, sessions })
}

/** What is known of where ad requests come from, and of what they say. */
function manageRequests(api: Api, { clock, config, siteFiles }: ManagementParts): void {
  attributeRoutes(api, { clock })
  siteListRoutes(api, { clock })
  sourceRoutes(api, {
    clock,
    timeZone: config.TIMEZONE,
    publicUrl: config.PUBLIC_URL,
    siteFiles,
  })
}
