// Banners (what to show) and uploaded creatives: the objects and their endpoints, as seen from outside.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Finding } from '../../http/failure.ts'
import {
  Body,
  BY_EXTERNAL_ID,
  byExternalId,
  Choice,
  Created,
  clickParametersOf,
  Deleted,
  deletedFilter,
  deletedShown,
  HttpUrl,
  Id,
  keptFields,
  keptShown,
  listFilters,
  Maybe,
  Nullable,
  Text,
  Updated,
} from '../../http/schema.ts'

export const MAX_UPLOAD_BYTES = 5 * 1024 * 1024
export const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const
const MAX_SIDE_PIXELS = 10_000

const creativeURL = Text(1, 2000, {
  description:
    'URL of the image: an http(s) URL, or the path returned by an upload (`POST /creative`). ' +
    '`creativeUrl` is accepted as an alias.',
  examples: ['https://cdn.bluebikes.example/summer-300x250.png'],
  'x-alias': 'creativeUrl',
})
const creativeUrl = Text(1, 2000, { description: 'Alias of `creativeURL`.' })
const side = (which: string) =>
  Maybe(
    Type.Integer({
      minimum: 1,
      maximum: MAX_SIDE_PIXELS,
      description: `Declared ${which} of the image in pixels. Width and height must be given together and form an allowed size.`,
    }),
  )

const clickParameters = clickParametersOf('as for its campaign, else for its customer')

export const MAX_WEIGHT = 100
const weight = Type.Integer({
  minimum: 1,
  maximum: MAX_WEIGHT,
  description:
    'How often it is shown in relation to the other banners of its persona, if that rotates by weight. Default: 1.',
})

const fields = {
  creativeURL: Type.Optional(creativeURL),
  creativeUrl: Type.Optional(creativeUrl),
  name: Maybe(Text(1, 255, { description: 'Default: the file name of the creative.' })),
  width: side('width'),
  height: side('height'),
  clickUrl: Maybe(HttpUrl({ description: 'Where a click leads; default: the website of the customer.' })),
  clickParameters: Maybe(clickParameters),
  weight: Maybe(weight),
  ...keptFields,
}

export const NewBanner = Body({
  ...fields,
  creativeURL,
  creativeUrl: Maybe(creativeUrl),
  enabled: Maybe(Type.Boolean({ description: 'Default true.' })),
})
export type NewBanner = Static<typeof NewBanner>

const edited = { ...fields, enabled: Maybe(Type.Boolean({ description: 'Pauses or resumes it.' })) }

export const BannerEdit = Body(edited)
export type BannerEdit = Static<typeof BannerEdit>

/** For the path without `:bid`. */
export const NamedBannerEdit = Body({
  bid: Type.Optional(Id('Which banner; optional if the persona has exactly one.')),
  ...edited,
})

export const STATUSES = ['pending', 'approved', 'rejected'] as const
const found = (what: string) => `${what} as declared, until a review finds the actual value.`

export const Banner = Body({
  bid: Id('Banner id.'),
  pid: Id('Persona id.'),
  cid: Id('Campaign id.'),
  name: Type.String({ description: 'Internal name; visitors never see it.' }),
  creativeURL: Type.String({ description: 'As given; for an uploaded image, its path.' }),
  clickUrl: Nullable(Type.String({ description: 'Where a click leads; null: the website of the customer.' })),
  clickParameters: Nullable(clickParameters),
  weight,
  landingUrl: Nullable(
    Type.String({
      description:
        'The finished address of a click, with the parameters of the banner, else of its campaign, else of its customer. `mqclid` is added when somebody clicks. Null: a click leads nowhere. A `dryRun` that creates the banner leaves its id out.',
    }),
  ),
  width: Nullable(Type.Integer({ description: found('Width') })),
  height: Nullable(Type.Integer({ description: found('Height') })),
  type: Nullable(Type.String({ description: 'Media type of the image, read from its bytes.' })),
  bytes: Nullable(Type.Integer({ description: 'Size of the image file.' })),
  enabled: Type.Boolean({ description: 'False while paused.' }),
  status: Choice(STATUSES, { description: 'Only approved banners that are not paused are shown.' }),
  reasons: Type.Array(Type.String(), {
    description: 'All reasons for its rejection, or why its review is still pending, in English.',
  }),
  findings: Type.Array(Finding, { description: 'The same reasons as data, in the same order.' }),
  ...keptShown,
  created: Created,
  updated: Updated,
  ...deletedShown,
})
export type Banner = Static<typeof Banner>

export const DeletedBanner = Body({ bid: Id('Banner id.'), deleted: Deleted })

export const Upload = Body({
  creativeURL: Type.String({ description: 'For the `creativeURL` of a banner of this customer.' }),
  width: Type.Integer({ description: 'Width in pixels.' }),
  height: Type.Integer({ description: 'Height in pixels.' }),
  bytes: Type.Integer({ description: 'Size of the file in bytes.' }),
  type: Choice(IMAGE_TYPES, { description: 'Media type, read from the bytes.' }),
})
export type Upload = Static<typeof Upload>

export const bannerExample = {
  creativeURL: 'https://cdn.bluebikes.example/summer-300x250.png',
  name: 'Summer sale',
  clickUrl: 'https://bluebikes.example/summer',
  clickParameters: 'utm_source=marquee&utm_content={banner.bid}',
}
const pendingExample = {
  bid: 1009,
  pid: 1007,
  cid: 1004,
  name: bannerExample.name,
  creativeURL: bannerExample.creativeURL,
  clickUrl: bannerExample.clickUrl,
  clickParameters: bannerExample.clickParameters,
  weight: 1,
  landingUrl: `${bannerExample.clickUrl}?utm_source=marquee&utm_content=1009`,
  width: null,
  height: null,
  type: null,
  bytes: null,
  enabled: true,
  status: 'pending',
  reasons: [],
  findings: [],
  externalId: null,
  metadata: {},
  created: 1_790_000_000,
  updated: 1_790_000_000,
}
export const readBannerExample = {
  ...pendingExample,
  width: 300,
  height: 250,
  type: 'image/png',
  bytes: 48_211,
  status: 'approved',
  updated: 1_790_000_002,
}

const REVIEW =
  'The banner is `pending` at first; a background review fetches the image, checks it against the creative ' +
  'guidelines and makes the banner `approved` or `rejected`, with `reasons`.'
const EDIT =
  'Changes only the supplied fields; null clears an optional one. A new `creativeURL`, `clickUrl` or declared ' +
  'size sends the banner back to review (`pending`), as does the same `creativeURL` if the banner was rejected.'

const all = { tag: 'Banners', access: 'customer', cuid: true } as const
const PATH = '/campaign/:cid/persona/:pid/banner'

export const createBanner = endpoint({
  ...all,
  id: 'createBanner',
  needs: 'edit',
  method: 'POST',
  path: PATH,
  summary: 'Create a banner under a persona',
  description: REVIEW,
  etag: true,
  dryRun: true,
  makes: ['bid'],
  body: NewBanner,
  status: 201,
  answer: Banner,
  examples: { body: bannerExample, answer: pendingExample },
})

export const listBanners = endpoint({
  ...all,
  id: 'listBanners',
  method: 'GET',
  path: PATH,
  summary: 'List the banners of a persona',
  description: 'Oldest first, filtered by review status, text or `externalId`.',
  list: true,
  query: {
    status: { schema: Choice(STATUSES), description: 'Only banners of this status.' },
    enabled: { schema: Type.Boolean(), description: 'Only active ones, or paused ones (`false`).' },
    ...listFilters,
    ...deletedFilter,
  },
  answer: Type.Array(Banner),
  examples: { answer: [readBannerExample] },
})

/** As many as fit on a page of pictures. */
const MAX_BIDS = 100

export const listAllBanners = endpoint({
  ...all,
  id: 'listAllBanners',
  ofAnyCampaign: true,
  method: 'GET',
  path: '/banner',
  summary: 'List the banners of a campaign, or those with certain ids',
  description: 'Of all personas, oldest first. `cid` or `bids` is required; what does not exist is left out.',
  list: true,
  query: {
    cid: { schema: Id('Campaign id.'), description: 'Only banners of this campaign.' },
    bids: {
      schema: Type.String({
        pattern: `^[1-9][0-9]{0,14}(,[1-9][0-9]{0,14}){0,${MAX_BIDS - 1}}$`,
        examples: ['1009,1012'],
      }),
      description: `Only banners with these ids, separated by commas; at most ${MAX_BIDS}.`,
    },
    status: { schema: Choice(STATUSES), description: 'Only banners of this status.' },
    enabled: { schema: Type.Boolean(), description: 'Only active ones, or paused ones (`false`).' },
    ...listFilters,
  },
  answer: Type.Array(Banner),
  examples: { answer: [readBannerExample] },
})

export const editNamedBanner = endpoint({
  ...all,
  id: 'editNamedBanner',
  needs: 'edit',
  method: 'PUT',
  path: PATH,
  summary: 'Edit a banner of a persona',
  description: `\`bid\`, in the body or the query, names the banner; it is optional if the persona has exactly one. ${EDIT}`,
  etag: true,
  query: { bid: { schema: Id('Banner id.'), description: 'Which banner.' } },
  body: NamedBannerEdit,
  dryRun: true,
  answer: Banner,
  problems: ['ambiguous_banner'],
  examples: {
    body: { bid: 1009, name: 'Summer sale, blue' },
    answer: { ...readBannerExample, name: 'Summer sale, blue' },
  },
})

export const readBanner = endpoint({
  ...all,
  id: 'readBanner',
  method: 'GET',
  path: `${PATH}/:bid`,
  summary: 'Read a banner',
  description: '`status` is the state of its review; `reasons` says why it was rejected.',
  etag: true,
  answer: Banner,
  examples: { answer: readBannerExample },
})

export const editBanner = endpoint({
  ...all,
  id: 'editBanner',
  needs: 'edit',
  method: 'PUT',
  path: `${PATH}/:bid`,
  summary: 'Edit a banner',
  description: EDIT,
  etag: true,
  body: BannerEdit,
  dryRun: true,
  answer: Banner,
  examples: {
    body: { name: 'Summer sale, blue' },
    answer: { ...readBannerExample, name: 'Summer sale, blue' },
  },
})

export const putBanner = endpoint({
  ...all,
  ...byExternalId,
  makes: ['bid'],
  id: 'putBanner',
  needs: 'edit',
  path: `${PATH}/by-external/:externalId`,
  summary: 'Create or change a banner by your own id',
  description: `${BY_EXTERNAL_ID} Required to create: \`creativeURL\`. A new \`creativeURL\`, \`clickUrl\` or declared size sends the banner to review; its current \`creativeURL\` does not, even if it was rejected.`,
  body: BannerEdit,
  answer: Banner,
  examples: { body: bannerExample, answer: { ...readBannerExample, externalId: 'crm-4713' } },
})

export const pauseBanner = endpoint({
  ...all,
  id: 'pauseBanner',
  staff: 'support',
  needs: 'edit',
  method: 'PUT',
  path: `${PATH}/:bid/pause`,
  summary: 'Pause a banner',
  description:
    'It is no longer shown within a second. Its review continues. Pausing a paused banner changes nothing.',
  etag: true,
  dryRun: true,
  answer: Banner,
  examples: { answer: { ...readBannerExample, enabled: false } },
})

export const resumeBanner = endpoint({
  ...all,
  id: 'resumeBanner',
  needs: 'edit',
  method: 'PUT',
  path: `${PATH}/:bid/resume`,
  summary: 'Resume a banner',
  description: 'Resuming a banner that is not paused changes nothing.',
  etag: true,
  dryRun: true,
  answer: Banner,
  examples: { answer: readBannerExample },
})

export const restoreBanner = endpoint({
  ...all,
  id: 'restoreBanner',
  needs: 'edit',
  method: 'POST',
  path: `${PATH}/:bid/restore`,
  summary: 'Restore a deleted banner',
  description: 'Possible within `RESTORE_WITHIN` of the deletion. If it is not deleted, nothing changes.',
  etag: true,
  dryRun: true,
  answer: Banner,
  problems: ['conflict'],
  examples: { answer: readBannerExample },
})

export const deleteBanner = endpoint({
  ...all,
  id: 'deleteBanner',
  needs: 'edit',
  method: 'DELETE',
  path: `${PATH}/:bid`,
  summary: 'Detach and hide a banner',
  description:
    'Removes it from the API and from delivery; what it delivered stays in the figures of its persona.',
  etag: true,
  dryRun: true,
  answer: DeletedBanner,
  examples: { answer: { bid: 1009, deleted: true } },
})

export const uploadCreative = endpoint({
  ...all,
  id: 'uploadCreative',
  ofAnyCampaign: true,
  needs: 'edit',
  method: 'POST',
  path: '/creative',
  summary: 'Upload an image',
  description:
    'The bytes with their content type, or a form with them in the field `file`; at most 5 MiB. Anything that is not ' +
    'a complete image is refused. Its size and weight are checked when a banner uses it.',
  rawBody: {
    types: ['multipart/form-data', ...IMAGE_TYPES, 'application/octet-stream'],
    limitBytes: MAX_UPLOAD_BYTES,
  },
  status: 201,
  answer: Upload,
  problems: ['invalid_input', 'quota_exceeded', 'too_many_requests'],
  examples: {
    answer: {
      creativeURL: '/creative/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png',
      width: 300,
      height: 250,
      bytes: 48_211,
      type: 'image/png',
    },
  },
})
