// Sources: the sites and exchanges that ask for ads, and what they showed today for the app's own customers. The
// operator registers them, or an app with that right. Secrets (server keys and bid URLs) are shown once.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Finding } from '../../http/failure.ts'
import {
  Body,
  Choice,
  Created,
  Deleted,
  Id,
  Maybe,
  Money,
  Nullable,
  Text,
  UnixTime,
} from '../../http/schema.ts'
import { By } from '../../identity/contract.ts'
import { SourceAttributes } from './attribute-paths.ts'

export const MAX_SOURCES = 1_000
export const MAX_OVERLAP_S = 30 * 86_400
export const USUAL_OVERLAP_S = 86_400

const sourceId = Id('Source id.')
const kind = Choice(['exchange', 'site'], { description: 'An OpenRTB exchange, or pages with our tag.' })
const name = Text(1, 100, { description: 'For people; once per deployment.', examples: ['news'] })
const domain = Text(1, 253, {
  description: 'For a site: the domain of its pages. Ads elsewhere are shown, but never billed.',
  examples: ['news.example'],
})
const billsOn = Choice(['notice', 'pixel'], {
  description: 'Which call counts the impression; on sites always the pixel.',
})
const allowsCpc = Type.Boolean({
  description:
    'Whether campaigns that are paid by click are shown there: on sites always, on exchanges if that is allowed.',
})

/** As of campaigns. */
const MAX_CPM = 1_000_000
export const MAX_REFUSED_CATEGORIES = 400
export const MAX_REFUSED_ADVERTISERS = 1_000
const MAX_SIZES = 50

const floorCpm = Money(0.01, MAX_CPM, {
  description:
    'The least that 1,000 impressions must bring there, besides what a bid request itself asks for. Null: no such limit.',
  examples: [0.8],
})
const sizeFloor = Body({
  size: Text(1, 20, { description: 'An allowed ad size.', examples: ['970x250'] }),
  cpm: Money(0.01, MAX_CPM, {
    description: 'The least for this size, instead of `floorCpm`.',
    examples: [3],
  }),
})
const floorCpmBySize = Type.Array(sizeFloor, {
  maxItems: MAX_SIZES,
  description: 'Sizes with a floor of their own.',
})
const refuses = Body(
  {
    categories: Type.Optional(
      Type.Array(Text(1, 20), {
        maxItems: MAX_REFUSED_CATEGORIES,
        description:
          'IAB Content Taxonomy 1.0 codes of what is advertised; a parent stands for its sub-categories.',
        examples: [['IAB25', 'IAB9-9']],
      }),
    ),
    advertisers: Type.Optional(
      Type.Array(Text(1, 253), {
        maxItems: MAX_REFUSED_ADVERTISERS,
        description: 'Domains to which ads lead, with their sub-domains.',
        examples: [['casino.example']],
      }),
    ),
  },
  { description: 'What it does not show. A list that is left out is empty; null: it shows everything.' },
)
const terms = {
  floorCpm: Maybe(floorCpm),
  floorCpmBySize: Maybe(floorCpmBySize),
  refuses: Maybe(refuses),
}
const shownTerms = {
  floorCpm: Nullable(Type.Number({ description: 'The least that 1,000 impressions must bring; null: any.' })),
  floorCpmBySize,
  refuses: Body(
    {
      categories: Type.Array(Type.String(), { description: 'IAB codes of what is advertised.' }),
      advertisers: Type.Array(Type.String(), { description: 'Domains to which ads lead.' }),
    },
    { description: 'What it does not show.' },
  ),
}
export type SourceTerms = Static<typeof SourceTerms>
const SourceTerms = Body(terms)

export const NewSource = Body({
  kind,
  name,
  domain: Maybe(domain),
  billsOn: Maybe(billsOn),
  allowsCpc: Maybe(allowsCpc),
  attributes: Maybe(SourceAttributes),
  ...terms,
})
export type NewSource = Static<typeof NewSource>

export const SourceEdit = Body({
  name: Type.Optional(name),
  domain: Maybe(domain),
  billsOn: Type.Optional(billsOn),
  allowsCpc: Type.Optional(allowsCpc),
  attributes: Maybe(SourceAttributes),
  ...terms,
})
export type SourceEdit = Static<typeof SourceEdit>

const seenFields = {
  sourceId,
  kind,
  name: Type.String({ description: 'For people.' }),
  domain: Nullable(Type.String({ description: 'For a site: the domain of its pages.' })),
  checked: Nullable(
    UnixTime({
      description: 'For a site: when its domain last showed its public key. Null: it has not, or has none.',
    }),
  ),
  key: Nullable(
    Type.String({
      description: 'For a site: the public key for its tags. The bid URL of an exchange is secret.',
    }),
  ),
  serverKey: Type.Boolean({
    description: 'Whether a site has a server key. The key is shown only when it is created.',
  }),
  billsOn: Choice(['notice', 'pixel'], { description: 'Which call counts the impression.' }),
  allowsCpc,
  attributes: SourceAttributes,
  ...shownTerms,
  oldKeyUntil: Nullable(
    UnixTime({ description: 'A key that was replaced stays valid until then; null: there is none.' }),
  ),
  created: Created,
  today: Body(
    {
      requests: Type.Integer({
        description:
          'Places for an ad that it requested since the day began, whoever filled them: without those that are never billed (tests, pages outside its domain) or were refused before an ad was looked for. Written every few seconds; a crash loses the last ones.',
      }),
      imps: Type.Integer({ description: "Impressions of the app's customers since the day began." }),
      spend: Type.Number({ description: 'What they and their clicks cost, in currency units.' }),
    },
    { description: 'Since the day began.' },
  ),
}

export const SeenSource = Body(seenFields)
export type SeenSource = Static<typeof SeenSource>

const secrets = Body(
  {
    serverKey: Nullable(Type.String({ description: 'For a site: the secret key of its servers.' })),
    bidUrl: Nullable(Type.String({ description: 'For an exchange: where it sends its bid requests.' })),
  },
  { description: 'Shown only here. Null: not made by this call.' },
)

export const CreatedSource = Body({ ...seenFields, secrets })
export type CreatedSource = Static<typeof CreatedSource>

export const RenewKey = Body({
  which: Type.Optional(
    Choice(['key', 'serverKey'], {
      description:
        'Default `key`: the public key of a site, or the bid URL of an exchange. `serverKey`: that of a site.',
    }),
  ),
  overlap: Type.Integer({
    minimum: 0,
    maximum: MAX_OVERLAP_S,
    description: 'For how many seconds the present key stays valid; 0: it ends at once.',
    examples: [USUAL_OVERLAP_S],
  }),
})
export type RenewKey = Static<typeof RenewKey>

export const RenewedKey = Body({
  sourceId,
  key: Nullable(Type.String({ description: 'For a site: its public key.' })),
  secrets,
  oldUntil: Nullable(
    UnixTime({ description: 'Until then the previous key stays valid; null: it has ended.' }),
  ),
})
export type RenewedKey = Static<typeof RenewedKey>

export const CheckedSource = Body({
  sourceId,
  checked: Nullable(UnixTime({ description: 'When the domain showed the key; null: it does not.' })),
  finding: Type.Union([Finding, Type.Null()], { description: 'What is missing; null: nothing.' }),
})
export type CheckedSource = Static<typeof CheckedSource>

const Seen = Nullable(
  Body(
    {
      name: Type.String({ description: 'For people.' }),
      domain: Nullable(Type.String({ description: 'Of a site.' })),
      billsOn: Choice(['notice', 'pixel'], { description: 'Which call counts the impression.' }),
      allowsCpc,
      attributes: Type.Optional(SourceAttributes),
      checked: Type.Boolean({ description: 'Whether its domain has shown its key.' }),
      floorCpm: Type.Optional(shownTerms.floorCpm),
      floorCpmBySize: Type.Optional(floorCpmBySize),
      refuses: Type.Optional(shownTerms.refuses),
    },
    { description: 'The source at that time, without keys; null: not yet, or no longer.' },
  ),
)

export const SourceChange = Body({
  id: Id('Id of the entry, for paging with `after`.'),
  at: UnixTime({ description: 'When it was changed.' }),
  sourceId,
  action: Choice(['add', 'edit', 'renew', 'check', 'revoke'], { description: 'What was done.' }),
  by: By,
  before: Seen,
  after: Seen,
})
export type SourceChange = Static<typeof SourceChange>

const example = {
  sourceId: 2,
  kind: 'site',
  name: 'news',
  domain: 'news.example',
  checked: null,
  key: 'mqs000000000000000000000000',
  serverKey: true,
  billsOn: 'pixel',
  allowsCpc: true,
  attributes: {},
  floorCpm: 0.8,
  floorCpmBySize: [{ size: '970x250', cpm: 3 }],
  refuses: { categories: ['IAB25'], advertisers: ['casino.example'] },
  oldKeyUntil: null,
  created: 1_790_000_000,
  today: { requests: 1900, imps: 1200, spend: 2.4 },
} as const
const secretsExample = { serverKey: 'mqv000000000000000000000000', bidUrl: null }

const reading = { tag: 'Sources', access: 'app', ofChosenCustomers: true } as const
const managing = { tag: 'Sources', access: 'app', needs: 'rights', provision: 'sources' } as const
const ONE = '/source/:sourceId'

export const listSources = endpoint({
  ...reading,
  id: 'listSources',
  method: 'GET',
  path: '/source',
  summary: 'Where ads are shown',
  description:
    'The sites and exchanges of the deployment, with what each showed today for customers of the app. Figures may be a minute old.',
  answer: Type.Array(SeenSource),
  examples: { answer: [example] },
})

export const readSource = endpoint({
  ...reading,
  id: 'readSource',
  method: 'GET',
  path: ONE,
  summary: 'Read a site or an exchange',
  description: 'Its secrets are not shown again.',
  etag: true,
  answer: SeenSource,
  examples: { answer: example },
})

export const addSource = endpoint({
  ...managing,
  id: 'addSource',
  method: 'POST',
  path: '/source',
  summary: 'Add a site or an exchange',
  description: `Its ad requests are answered within a second, with ads of all apps. The answer has its secrets, which are shown only here. Like all changes of sources, only for apps that the operator allows to make them (\`marquee app provision <name> --sources on\`). There can be at most ${MAX_SOURCES.toLocaleString('en')} sources.`,
  body: NewSource,
  status: 201,
  etag: true,
  dryRun: true,
  makes: ['sourceId', 'key', 'secrets'],
  answer: CreatedSource,
  problems: ['conflict'],
  examples: {
    body: {
      kind: 'site',
      name: 'news',
      domain: 'news.example',
      floorCpm: 0.8,
      floorCpmBySize: [{ size: '970x250', cpm: 3 }],
      refuses: { categories: ['IAB25'], advertisers: ['casino.example'] },
    },
    answer: { ...example, today: { requests: 0, imps: 0, spend: 0 }, secrets: secretsExample },
  },
})

export const editSource = endpoint({
  ...managing,
  id: 'editSource',
  method: 'PUT',
  path: ONE,
  summary: 'Edit a site or an exchange',
  description: 'Changes only the supplied fields. Another `domain` has to be checked again.',
  etag: true,
  body: SourceEdit,
  dryRun: true,
  answer: SeenSource,
  problems: ['conflict'],
  examples: { body: { domain: 'www.news.example' }, answer: { ...example, domain: 'www.news.example' } },
})

export const deleteSource = endpoint({
  ...managing,
  id: 'deleteSource',
  method: 'DELETE',
  path: ONE,
  summary: 'Revoke a site or an exchange',
  description:
    'Permanent: within a second its keys get no more ads. Ads that it already got are still counted, and figures stay.',
  etag: true,
  dryRun: true,
  answer: Body({ sourceId, deleted: Deleted }),
  examples: { answer: { sourceId: 2, deleted: true } },
})

export const renewSourceKey = endpoint({
  ...managing,
  id: 'renewSourceKey',
  method: 'POST',
  path: `${ONE}/key`,
  summary: 'Renew a key of a site or an exchange',
  description:
    'The present key stays valid for `overlap` seconds, so that pages, servers or the exchange can change over; an older key ends at once.',
  body: RenewKey,
  answer: RenewedKey,
  examples: {
    body: { which: 'serverKey', overlap: USUAL_OVERLAP_S },
    answer: { sourceId: 2, key: example.key, secrets: secretsExample, oldUntil: 1_790_086_400 },
  },
})

export const checkSource = endpoint({
  ...managing,
  id: 'checkSource',
  method: 'POST',
  path: `${ONE}/check`,
  summary: 'Check that the domain of a site is its own',
  description:
    'Fetches `https://<domain>/.well-known/marquee.txt`, or if that is not reachable, the same by http. The file must have the public key of the site on a line of its own. Optional: a site that was not checked gets ads, too.',
  answer: CheckedSource,
  examples: { answer: { sourceId: 2, checked: 1_790_000_000, finding: null } },
})

export const readSourceHistory = endpoint({
  ...managing,
  id: 'readSourceHistory',
  method: 'GET',
  path: '/source/history',
  summary: 'Read the change history of sites and exchanges',
  description:
    'Who added, changed, renewed, checked or revoked which, oldest first. Changes by the command line are of the `service`.',
  list: true,
  answer: Type.Array(SourceChange),
  examples: {
    answer: [
      {
        id: 3,
        at: 1_790_000_100,
        sourceId: 2,
        action: 'add',
        by: { kind: 'person', name: 'Ada', email: 'ada@shop.example', as: null },
        before: null,
        after: {
          name: 'news',
          domain: 'news.example',
          billsOn: 'pixel',
          allowsCpc: true,
          checked: false,
          floorCpm: null,
          floorCpmBySize: [],
          refuses: { categories: [], advertisers: [] },
        },
      },
    ],
  },
})
