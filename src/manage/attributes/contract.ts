// Attributes of an app: what it knows about its pages, shops and visitors, by key. The app declares a key once; then
// requests may say it, and personas target it. Also the form in which a persona does so.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Created, Deleted, Id, Maybe, Text, UnixTime, Updated } from '../../http/schema.ts'
import { By } from '../../identity/contract.ts'

/** Of an app. */
export const MAX_ATTRIBUTES = 50
export const MAX_CHOICES = 1_000
export const MAX_VALUE_CHARS = 64
/** Of a persona. */
export const MAX_TARGETED = 20
export const MAX_TARGETED_VALUES = 500
/** A value that no request had for so long is warned of. */
export const UNSEEN_DAYS = 28
/** Uses that an answer lists; it counts all. */
export const MAX_USES = 100
const MAX_NUMBER = 1_000_000_000_000

export const KINDS = ['choice', 'words', 'number'] as const
export type AttributeKind = (typeof KINDS)[number]

/** In lower case, because HTML does not tell cases of attributes apart. */
export const KEY_PATTERN = '^[a-z][a-z0-9_-]{0,39}$'

const KIND_ABOUT =
  '`choice`: one or several of the declared values. `words`: any words, such as tags or what was searched for. `number`: such as a price.'
const kind = Choice(KINDS, { description: KIND_ABOUT })
const label = Text(1, 100, { description: 'Its name for people.', examples: ['Section'] })
const APP_ONLY =
  'Whether only the app may target it, with a super pair or as its staff; default false: its customers, too.'
const FROM_PUBLIC =
  'Whether requests with the public key of a site may say it, which everybody can send; default false: only exchanges, and servers with the server key.'
const choices = (value: ReturnType<typeof Type.String>) =>
  Type.Array(
    Body({
      value,
      label: Maybe(Text(1, 100, { description: 'For people. Default: the value.', examples: ['Sport'] })),
    }),
    {
      maxItems: MAX_CHOICES,
      description: 'Of a choice: its values, in your order. Upper and lower case are the same.',
    },
  )

export const AttributeEdit = Body({
  kind: Type.Optional(kind),
  label: Maybe(label),
  choices: Maybe(
    choices(Text(1, MAX_VALUE_CHARS, { description: 'As requests say it.', examples: ['sport'] })),
  ),
  appOnly: Maybe(Type.Boolean({ description: APP_ONLY })),
  fromPublic: Maybe(Type.Boolean({ description: FROM_PUBLIC })),
})
export type AttributeEdit = Static<typeof AttributeEdit>

const shown = {
  key: Type.String({ description: 'As requests and personas name it.' }),
  label: Type.String({ description: 'For people.' }),
  kind,
  choices: Type.Array(
    Body({
      value: Type.String({ description: 'As requests say it, in lower case.' }),
      label: Type.String({ description: 'For people.' }),
    }),
    { description: 'Of a choice; otherwise empty.' },
  ),
}

export const Attribute = Body({
  ...shown,
  appOnly: Type.Boolean({ description: APP_ONLY }),
  fromPublic: Type.Boolean({ description: FROM_PUBLIC }),
  created: Created,
  updated: Updated,
})
export type Attribute = Static<typeof Attribute>

export const AttributeUse = Body({
  cuid: Id('Customer.'),
  cid: Id('Campaign.'),
  pid: Id('Persona that targets it.'),
})
export type AttributeUse = Static<typeof AttributeUse>

export const UsedAttribute = Body({
  ...Attribute.properties,
  uses: Type.Integer({ description: 'How many personas target it.' }),
  usedBy: Type.Array(AttributeUse, { description: `The first ${MAX_USES} of them.` }),
})
export type UsedAttribute = Static<typeof UsedAttribute>

export const TargetableAttribute = Body(shown)
export type TargetableAttribute = Static<typeof TargetableAttribute>

const Seen = Type.Union(
  [
    Body({
      ...shown,
      appOnly: Type.Boolean({ description: APP_ONLY }),
      fromPublic: Type.Boolean({ description: FROM_PUBLIC }),
    }),
    Type.Null(),
  ],
  { description: 'The attribute at that time; null: not yet, or no longer.' },
)

export const AttributeChange = Body({
  id: Id('Id of the entry, for paging with `after`.'),
  at: UnixTime({ description: 'When it was changed.' }),
  action: Choice(['add', 'edit', 'remove'], { description: 'What was done.' }),
  by: By,
  before: Seen,
  after: Seen,
})
export type AttributeChange = Static<typeof AttributeChange>

const word = Text(1, MAX_VALUE_CHARS, { examples: ['sport'] })
const words = (description: string) => Maybe(Type.Array(word, { maxItems: MAX_TARGETED_VALUES, description }))
const bound = (description: string) =>
  Maybe(Type.Number({ minimum: -MAX_NUMBER, maximum: MAX_NUMBER, description }))

const WANTED_EXAMPLE = {
  section: { any: ['sport', 'news'] },
  tags: { none: ['alcohol'] },
  price: { min: 10, max: 50 },
}

/** What a persona wants of one attribute, as sent and, without what restricts nothing, as read. */
export const WantedAttribute = Body({
  any: words('The request has at least one of them.'),
  all: words('The request has all of them.'),
  none: words('The request has none of them; so has one without the attribute.'),
  min: bound('Of a number: at least so much.'),
  max: bound('Of a number: at most so much.'),
})
export type WantedAttribute = Static<typeof WantedAttribute>

export const WantedAttributes = Type.Unsafe<Record<string, WantedAttribute>>({
  type: 'object',
  maxProperties: MAX_TARGETED,
  propertyNames: { type: 'string', minLength: 1, maxLength: 40 },
  additionalProperties: WantedAttribute,
  description:
    `What the app knows, by the keys it has declared (\`GET /attribute\`, \`GET /reference/attribute\`): at most ${MAX_TARGETED} keys with ` +
    `${MAX_TARGETED_VALUES} values in all. Each must fit. A request without a key fits only \`none\`. Empty: no restriction.`,
  examples: [WANTED_EXAMPLE],
})
export type WantedAttributes = Static<typeof WantedAttributes>

/** What an ad request says; MOST_VALUES of deliver/audience/attributes.ts. */
const said = Type.Union([Type.String(), Type.Number()])
export const SaidAttributes = Type.Unsafe<Record<string, string | number | (string | number)[]>>({
  type: 'object',
  maxProperties: MAX_ATTRIBUTES,
  additionalProperties: {
    anyOf: [said.anyOf[0], said.anyOf[1], { type: 'array', items: said, maxItems: 50 }],
  },
  description:
    'What the app knows about the page, the shop or the visitor, by declared keys. Others are dropped; with the public key of a site, also those that are not open to it. No personal data.',
  examples: [{ section: 'sport', tags: ['cycling', 'summer'], price: 19.9 }],
})

const example: Attribute = {
  key: 'section',
  label: 'Section',
  kind: 'choice',
  choices: [
    { value: 'sport', label: 'Sport' },
    { value: 'news', label: 'News' },
  ],
  appOnly: false,
  fromPublic: true,
  created: 1_790_000_000,
  updated: 1_790_000_000,
}
const usedExample = { ...example, uses: 1, usedBy: [{ cuid: 1001, cid: 1004, pid: 1007 }] }
const { created: _created, updated: _updated, ...seenExample } = example

const common = { tag: 'Attributes', access: 'app' } as const
const ONE = '/attribute/:key'
const force = {
  force: {
    schema: Type.Boolean(),
    description:
      '`true`: even if personas target what is removed; those then match no request (`none` matches all).',
  },
}

export const listAttributes = endpoint({
  ...common,
  id: 'listAttributes',
  ofChosenCustomers: true,
  method: 'GET',
  path: '/attribute',
  summary: 'List the attributes of the app',
  description: `What the app has declared, by key; at most ${MAX_ATTRIBUTES}.`,
  answer: Type.Array(Attribute),
  examples: { answer: [example] },
})

export const readAttribute = endpoint({
  ...common,
  id: 'readAttribute',
  ofChosenCustomers: true,
  method: 'GET',
  path: ONE,
  summary: 'Read an attribute, and which personas target it',
  description: `With how many personas target it, and the first ${MAX_USES} of them.`,
  etag: true,
  answer: UsedAttribute,
  examples: { answer: usedExample },
})

export const putAttribute = endpoint({
  ...common,
  id: 'putAttribute',
  needs: 'rights',
  method: 'PUT',
  path: ONE,
  summary: 'Declare or change an attribute',
  description:
    'The key has lower-case letters, digits, `-` and `_`, and begins with a letter. Declares it (201; requires `kind`), or changes only the supplied fields (200); `choices` are replaced as a whole. Requests may say it within a second. ' +
    'Values that look like an e-mail address or a telephone number are refused: attributes must not contain personal data.',
  etag: true,
  body: AttributeEdit,
  query: force,
  status: 201,
  otherStatuses: { 200: 'Changed.' },
  dryRun: true,
  answer: UsedAttribute,
  problems: ['conflict'],
  examples: {
    body: { kind: 'choice', label: 'Section', choices: example.choices, fromPublic: true },
    answer: { ...usedExample, uses: 0, usedBy: [] },
  },
})

export const deleteAttribute = endpoint({
  ...common,
  id: 'deleteAttribute',
  needs: 'rights',
  method: 'DELETE',
  path: ONE,
  summary: 'Delete an attribute',
  description:
    'Refused with 409 `attribute_in_use`, which lists them, while personas target it, unless `force` is `true`.',
  etag: true,
  query: force,
  dryRun: true,
  answer: Body({ key: Type.String({ description: 'Its key.' }), deleted: Deleted }),
  problems: ['conflict'],
  examples: { answer: { key: 'section', deleted: true } },
})

export const readAttributeHistory = endpoint({
  ...common,
  id: 'readAttributeHistory',
  needs: 'rights',
  method: 'GET',
  path: '/attribute/history',
  summary: 'Read the change history of the attributes',
  description: 'Who declared, changed or deleted which, oldest first.',
  list: true,
  answer: Type.Array(AttributeChange),
  examples: {
    answer: [
      {
        id: 4,
        at: 1_790_000_000,
        action: 'add',
        by: { kind: 'app', name: null, email: null, as: null },
        before: null,
        after: seenExample,
      },
    ],
  },
})

export const listTargetable = endpoint({
  id: 'listTargetableAttributes',
  tag: 'Attributes',
  access: 'customer',
  cuid: true,
  ofAnyCampaign: true,
  method: 'GET',
  path: '/reference/attribute',
  summary: 'The attributes that personas of a customer may target',
  description: 'Of the app of the customer, by key.',
  answer: Type.Array(TargetableAttribute),
  examples: {
    answer: [{ key: example.key, label: example.label, kind: example.kind, choices: example.choices }],
  },
})
