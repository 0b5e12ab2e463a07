// The objects of the API under the names in their contracts, for the OpenAPI document.

import type { TSchema } from 'typebox'
import * as banners from '../banners/contract.ts'
import * as bulk from '../bulk/contract.ts'
import * as campaigns from '../campaigns/contract.ts'
import * as flights from '../campaigns/flights/contract.ts'
import * as cockpit from '../cockpit/contract.ts'
import * as sessions from '../console/contract.ts'
import * as ownSessions from '../console/own-sessions/contract.ts'
import * as passkeys from '../console/passkeys/contract.ts'
import * as conversions from '../conversions/contract.ts'
import * as customers from '../customers/contract.ts'
import * as members from '../customers/members/contract.ts'
import * as delivery from '../delivery/contract.ts'
import * as issues from '../issues/contract.ts'
import * as mails from '../mails/contract.ts'
import * as notes from '../notes/contract.ts'
import * as orders from '../orders/contract.ts'
import * as personas from '../personas/contract.ts'
import * as proposals from '../proposals/contract.ts'
import * as reach from '../reach/contract.ts'
import * as reports from '../reports/contract.ts'
import * as savedViews from '../saved-views/contract.ts'
import * as sources from '../sources/contract.ts'
import * as stats from '../stats/contract.ts'
import * as undo from '../undo/contract.ts'
import * as webhooks from '../webhooks/contract.ts'

const CONTRACTS = [
  ...[customers, members, campaigns, flights, notes, personas, banners, orders, bulk, undo, proposals],
  ...[stats, savedViews, reach, reports, sources, conversions, delivery, issues, cockpit, mails, webhooks],
  ...[sessions, passkeys, ownSessions],
]

export const OBJECTS: Record<string, TSchema> = Object.fromEntries(
  CONTRACTS.flatMap(contract => Object.entries(contract)).filter(
    (entry): entry is [string, TSchema] =>
      /^[A-Z][a-z]/.test(entry[0]) && (entry[1] as { type?: unknown })?.type === 'object',
  ),
)
