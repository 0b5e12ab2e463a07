// Site lists: sites, apps and sources under a name, for all customers of an app. And `sites`, by which customers and
// campaigns say where their ads may be shown and where never; it may name such lists.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Created, Deleted, Maybe, Nullable, Text, Updated } from '../../http/schema.ts'
import { By } from '../../identity/contract.ts'

/** Per app. */
export const MAX_LISTS = 100
export const MAX_LIST_ENTRIES = 10_000
/** Of `only`, and of `not`. */
export const MAX_SITES = 500
const LONGEST_ENTRY = 300

const entry = Text(1, LONGEST_ENTRY)
const FORMS =
  'a domain with its sub-domains (`news.example`), an app by its bundle (`app:com.example.game`), or a source (`source:2`)'

function sites(description: string) {
  return Maybe(Type.Array(entry, { maxItems: MAX_SITES, description }))
}

export const Sites = Body(
  {
    only: sites('Only here. Left out or empty: everywhere. A request of an unknown site is then refused.'),
    not: sites('Never here.'),
  },
  {
    description: `Where its ads may be shown. An entry is ${FORMS}, or a list of the app (\`list:premium\`). Those of a campaign and those of its customer hold together. Null: everywhere.`,
    examples: [
      { only: ['list:premium', 'news.example'], not: ['games.news.example', 'app:com.example.game'] },
    ],
  },
)
export type Sites = Static<typeof Sites>

export const ShownSites = Nullable(
  Body(
    {
      only: Type.Array(Type.String(), { description: 'Only here; empty: everywhere.' }),
      not: Type.Array(Type.String(), { description: 'Never here.' }),
    },
    { description: 'Where its ads may be shown; null: everywhere.' },
  ),
)

export const LIST_KEY = '^[a-z0-9][a-z0-9_-]{0,63}$'

const key = Type.String({ description: 'Its name in `sites`: `list:<key>`.' })
const name = Text(1, 100, { description: 'For people. Default: its key.', examples: ['Premium news'] })

export const SiteListBody = Body({
  name: Maybe(name),
  entries: Type.Array(entry, {
    maxItems: MAX_LIST_ENTRIES,
    description: `Each is ${FORMS}. What is the same is kept once.`,
    examples: [['news.example', 'app:com.example.reader', 'source:2']],
  }),
})
export type SiteListBody = Static<typeof SiteListBody>

const shown = {
  key,
  name: Type.String({ description: 'For people.' }),
  count: Type.Integer({ description: 'How many entries it has.' }),
  uses: Body(
    {
      customers: Type.Integer({ description: 'Customers whose `sites` name it.' }),
      campaigns: Type.Integer({ description: 'Campaigns whose `sites` name it.' }),
    },
    {
      description:
        'Who names it, without those that were deleted; a super pair of some customers sees its own.',
    },
  ),
  by: By,
  created: Created,
  updated: Updated,
}

export const ListedSites = Body(shown)
export type ListedSites = Static<typeof ListedSites>

export const SiteList = Body({
  ...shown,
  entries: Type.Array(Type.String(), { description: 'Its entries, in the order given.' }),
})
export type SiteList = Static<typeof SiteList>

const example = {
  key: 'premium',
  name: 'Premium news',
  count: 2,
  uses: { customers: 0, campaigns: 3 },
  by: { kind: 'person', name: 'Ada', email: 'ada@shop.example', as: null },
  created: 1_790_000_000,
  updated: 1_790_000_100,
} as const
const entries = ['news.example', 'app:com.example.reader']

const ofApp = { access: 'app', tag: 'Site lists' } as const
const ONE = '/site-list/:listKey'

export const listSiteLists = endpoint({
  ...ofApp,
  ofChosenCustomers: true,
  id: 'listSiteLists',
  method: 'GET',
  path: '/site-list',
  summary: 'List the site lists of the app',
  description: `By key, without their entries. There can be at most ${MAX_LISTS}.`,
  answer: Type.Array(ListedSites),
  examples: { answer: [example] },
})

export const readSiteList = endpoint({
  ...ofApp,
  ofChosenCustomers: true,
  id: 'readSiteList',
  method: 'GET',
  path: ONE,
  summary: 'Read a site list',
  description: 'With its entries.',
  etag: true,
  answer: SiteList,
  examples: { answer: { ...example, entries } },
})

export const putSiteList = endpoint({
  ...ofApp,
  id: 'putSiteList',
  needs: 'edit',
  method: 'PUT',
  path: ONE,
  summary: 'Create or replace a site list',
  description:
    'Creates it (201), or replaces all of its entries (200). Within a second, this holds for every customer and campaign that names it. Its key has at most 64 characters: `a-z`, `0-9`, `-` and `_`.',
  etag: true,
  body: SiteListBody,
  status: 201,
  otherStatuses: { 200: 'Replaced.' },
  dryRun: true,
  answer: SiteList,
  problems: ['conflict'],
  examples: { body: { name: 'Premium news', entries }, answer: { ...example, entries } },
})

export const deleteSiteList = endpoint({
  ...ofApp,
  id: 'deleteSiteList',
  needs: 'edit',
  method: 'DELETE',
  path: ONE,
  summary: 'Delete a site list',
  description:
    'While a customer or a campaign names it: 409 `conflict`, because those would no longer say where.',
  etag: true,
  dryRun: true,
  answer: Body({ key, deleted: Deleted }),
  problems: ['conflict'],
  examples: { answer: { key: 'premium', deleted: true } },
})
