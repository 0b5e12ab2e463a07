// The objects of the API under the names in their contracts, for the OpenAPI document.

import type { TSchema } from 'typebox'
import * as ownAgents from '../console/agents/contract.ts'
import * as sessions from '../console/contract.ts'
import * as ownSessions from '../console/own-sessions/contract.ts'
import * as passkeys from '../console/passkeys/contract.ts'
import * as conversions from '../count/conversions/contract.ts'
import * as cockpit from '../diagnose/cockpit/contract.ts'
import * as delivery from '../diagnose/funnel/contract.ts'
import * as issues from '../diagnose/issues/contract.ts'
import * as reach from '../diagnose/reach/contract.ts'
import * as banners from '../manage/banners/contract.ts'
import * as landing from '../manage/banners/landing/contract.ts'
import * as bulk from '../manage/bulk/contract.ts'
import * as campaigns from '../manage/campaigns/contract.ts'
import * as flights from '../manage/campaigns/flights/contract.ts'
import * as customers from '../manage/customers/contract.ts'
import * as members from '../manage/customers/members/contract.ts'
import * as notes from '../manage/notes/contract.ts'
import * as orders from '../manage/orders/contract.ts'
import * as personas from '../manage/personas/contract.ts'
import * as proposals from '../manage/proposals/contract.ts'
import * as sources from '../manage/sources/contract.ts'
import * as undo from '../manage/undo/contract.ts'
import * as mails from '../notify/mails/contract.ts'
import * as webhooks from '../notify/webhooks/contract.ts'
import * as stats from '../report/figures/contract.ts'
import * as reports from '../report/resellers/contract.ts'
import * as savedViews from '../report/saved-views/contract.ts'

const CONTRACTS = [
  ...[customers, members, campaigns, flights, notes, personas, banners, landing, orders, bulk],
  ...[undo, proposals],
  ...[stats, savedViews, reach, reports, sources, conversions, delivery, issues, cockpit, mails, webhooks],
  ...[sessions, passkeys, ownAgents, ownSessions],
]

export const OBJECTS: Record<string, TSchema> = Object.fromEntries(
  CONTRACTS.flatMap(contract => Object.entries(contract)).filter(
    (entry): entry is [string, TSchema] =>
      /^[A-Z][a-z]/.test(entry[0]) && (entry[1] as { type?: unknown })?.type === 'object',
  ),
)
