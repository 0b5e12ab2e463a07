// Delivery as seen from outside: the calls of exchanges and tags (answered by the thin path), and two questions of an
// advertiser: why is this persona not served, and how far do requests get?

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Id, Maybe, Nullable, Text, UnixTime } from '../../http/schema.ts'
import { SaidAttributes } from '../../manage/attributes/contract.ts'

const size = Type.Union(
  [
    Text(1, 20, { examples: ['300x250'] }),
    Type.Array(Text(1, 20), { minItems: 1, maxItems: 20, examples: [['300x250', '336x280']] }),
  ],
  { description: 'One size, or several acceptable ones.' },
)
const geo = Body(
  {
    country: Maybe(Text(2, 2, { description: 'ISO 3166-1 alpha-2.', examples: ['CA'] })),
    region: Maybe(
      Text(1, 100, { description: 'ISO 3166-2, with or without the country, or a name.', examples: ['ON'] }),
    ),
    city: Maybe(Text(1, 100, { description: 'Name of the city.', examples: ['Toronto'] })),
    lat: Maybe(Type.Number({ minimum: -90, maximum: 90, description: 'Latitude.' })),
    lon: Maybe(Type.Number({ minimum: -180, maximum: 180, description: 'Longitude.' })),
  },
  { description: 'Where the visitor is; default: looked up by address.' },
)
const user = Body(
  {
    id: Maybe(
      Text(1, 256, {
        description:
          'User id for frequency caps; only with the server key. Stored only as a keyed hash that changes daily.',
      }),
    ),
    gender: Maybe(Choice(['male', 'female'], { description: 'If known.' })),
    age: Maybe(Type.Number({ minimum: 0, maximum: 130, description: 'In years, if known.' })),
  },
  { description: 'Who the visitor is; default: our first-party cookie.' },
)
const visit = {
  size,
  page: Maybe(Text(1, 2048, { description: 'URL of the page.', examples: ['https://news.example/cycling'] })),
  cat: Maybe(
    Type.Union([Text(1, 20), Type.Array(Text(1, 20), { maxItems: 50 })], {
      description: 'IAB Content Taxonomy 1.0 codes of the page.',
      examples: [['IAB17-3']],
    }),
  ),
  ip: Maybe(Text(1, 64, { description: 'The visitor’s address; only with the server key.' })),
  ua: Maybe(Text(1, 2048, { description: 'The visitor’s agent; only with the server key.' })),
  geo: Maybe(geo),
  device: Maybe(Choice(['mobile', 'tablet', 'desktop'], { description: 'Default: derived from the agent.' })),
  user: Maybe(user),
  attributes: Maybe(SaidAttributes),
}
const VISIT_EXAMPLE = {
  size: '300x250',
  cat: ['IAB17-3'],
  geo: { country: 'CA', region: 'ON', city: 'Toronto' },
  device: 'mobile',
  user: { gender: 'female', age: 27 },
}

const BidObject = Type.Object({}, { additionalProperties: true, description: 'As in OpenRTB 2.5 or 2.6.' })

export const bid = endpoint({
  id: 'bid',
  method: 'POST',
  path: '/openrtb2/bid/:sourceKey',
  tag: 'Delivery',
  summary: 'Bid request of an exchange (OpenRTB 2.5 and 2.6)',
  description:
    'JSON, plain or gzip. The answer is a bid response, or 204 for no bid. Invalid bid requests get 400, an ' +
    'unknown key 404, both without a body. The answer names its version in `x-openrtb-version`. If the operator has ' +
    'switched on debugging for the source, a request with the header `x-marquee-debug: 1` learns why it gets no bid: ' +
    '200 without bids and with `ext.marquee.reason`, or 400 with a message.',
  access: 'public',
  dataPlane: true,
  mayBeEmpty: true,
  bareErrors: true,
  body: BidObject,
  answer: BidObject,
  examples: {
    body: {
      id: '80ce30c53c16e6ede735f123ef6e32361bfc7b22',
      imp: [{ id: '1', banner: { format: [{ w: 300, h: 250 }] }, bidfloor: 0.03 }],
      site: { domain: 'news.example', cat: ['IAB17-3'] },
      device: { devicetype: 4, geo: { country: 'CAN', region: 'ON', city: 'Toronto' } },
      user: { id: '55816b39711f9b5acf3b90e313ed29e51665623f' },
    },
  },
})

export const siteBid = endpoint({
  id: 'siteBid',
  method: 'POST',
  path: '/openrtb2/site/:siteKey',
  tag: 'Delivery',
  summary: 'Bid request of a page (Prebid.js)',
  description:
    'OpenRTB 2.5 and 2.6 by the rules of a site: location and agent are those of the connection, and ids are ignored. The ' +
    'pixel in `adm` counts the impression, if it comes within a minute from the network and agent of the request; there ' +
    'are no notices. A page of another domain is answered, but never billed. Open to every origin. The answer is a bid ' +
    'response, or 204 for no bid; errors have no body. At most 20 places and 16,384 bytes, uncompressed; any content ' +
    'type is accepted. `x-marquee-debug` works as for exchanges.',
  access: 'public',
  dataPlane: true,
  mayBeEmpty: true,
  bareErrors: true,
  body: BidObject,
  answer: BidObject,
  examples: {
    body: {
      id: '80ce30c53c16e6ede735f123ef6e32361bfc7b22',
      imp: [{ id: '1', banner: { format: [{ w: 300, h: 250 }] } }],
      site: { page: 'https://news.example/cycling', cat: ['IAB17-3'] },
    },
  },
})

const Ad = Body(
  {
    bid: Id('Banner.'),
    cid: Id('Campaign.'),
    pid: Id('Persona.'),
    width: Type.Integer({ description: 'Width in pixels.' }),
    height: Type.Integer({ description: 'Height in pixels.' }),
    image: Type.String({ description: 'Our own copy of the creative.' }),
    click: Type.String({ description: 'Where the image links to; counts the click, then redirects.' }),
    impression: Type.String({ description: 'The pixel to load when the image is shown.' }),
    view: Type.String({
      description: 'A pixel to load when half of the image has been on screen for one second; counts a view.',
    }),
    html: Type.String({ description: 'Image, click and impression as HTML, ready for a page.' }),
  },
  { description: 'The ad; null: none, and `reason` says why.' },
)
export const AdAnswer = Body({
  ad: Nullable(Ad),
  reason: Type.Optional(
    Type.String({ description: 'If `ad` is null: why there is none.', examples: ['no_match'] }),
  ),
})

export const ad = endpoint({
  id: 'requestAd',
  method: 'POST',
  path: '/ad',
  tag: 'Delivery',
  summary: 'An ad for a page or a server of a registered site',
  description:
    'Omitted fields are derived from the address (with the server key, from the given `ip`), the agent and our ' +
    'first-party cookie. Open to every origin; a request whose page (`page`, `Origin`, `Referer`) belongs to another ' +
    'domain, and a browser’s request without any page, is answered, but never billed. `ip`, `ua` and `user.id` are ' +
    'accepted only with the secret server key of the site and refused with the public one. With the public key, the ' +
    'impression must be reported within a minute, from the network and agent of the request; with the server key ' +
    'within ten minutes, from the `ip` and `ua` that were given. At most 16,384 bytes, uncompressed.',
  access: 'public',
  dataPlane: true,
  body: Body({
    source: Text(1, 200, {
      description: 'Key of the site: the public one of its tags, or its secret server key.',
    }),
    ...visit,
    gdpr: Maybe(Type.Boolean({ description: 'Whether the GDPR applies to the visitor, if known.' })),
    gdprConsent: Maybe(
      Text(1, 16_384, {
        description: 'The visitor’s IAB TCF consent string; without consent the visitor is not recognised.',
      }),
    ),
    gpp: Maybe(
      Text(1, 16_384, {
        description: 'The visitor’s IAB GPP string; with an opt-out the visitor is not recognised.',
      }),
    ),
    gppSid: Maybe(
      Type.Array(Type.Integer({ minimum: -1, maximum: 9_999 }), {
        maxItems: 64,
        description: 'The sections of the GPP string that apply; all, if it is not given.',
      }),
    ),
    usPrivacy: Maybe(
      Text(1, 16, {
        description: 'The visitor’s IAB US Privacy string; with an opt-out the visitor is not recognised.',
      }),
    ),
  }),
  answer: AdAnswer,
  problems: ['not_found'],
  examples: {
    body: { source: 'mqsExampleKeyOfASite000000', ...VISIT_EXAMPLE },
    answer: { ad: null, reason: 'no_match' },
  },
})

const text = (description: string) => ({ schema: Type.String(), description })
export const adHtml = endpoint({
  id: 'adPage',
  method: 'GET',
  path: '/ad.html',
  tag: 'Delivery',
  summary: 'An ad as a page, for an iframe',
  description:
    'The page is empty if there is no ad. `/tag.js` inserts the iframe. Attributes of the app are said by `attr.<key>`, such as `attr.section=sport,news`; what is not declared, or not open to the public key, is dropped.',
  access: 'public',
  dataPlane: true,
  query: {
    source: { ...text('Public key of the site.'), required: true },
    size: { ...text('`300x250`, or several separated by commas.'), required: true },
    page: text('URL of the page, if its referrer does not say.'),
    country: text('ISO 3166-1 alpha-2.'),
    region: text('ISO 3166-2.'),
    city: text('Name of the city.'),
    lat: text('Latitude.'),
    lon: text('Longitude.'),
    cat: text('IAB codes, separated by commas.'),
    device: text('`mobile`, `tablet` or `desktop`.'),
    gender: text('`male` or `female`.'),
    age: text('In years.'),
    gdpr: text('`1` if the GDPR applies, `0` if not.'),
    gdpr_consent: text('The visitor’s IAB TCF consent string: without its permission no cookie is set.'),
  },
  answer: Type.String(),
  also: ['text/html'],
  problems: ['not_found'],
})

export const tagScript = endpoint({
  id: 'tagScript',
  method: 'GET',
  path: '/tag.js',
  tag: 'Delivery',
  summary: 'The script that shows an ad where it is placed',
  description:
    'A `script` element with `src` this address, `async`, `data-source` (the key of the site) and `data-size` (such as ' +
    '`300x250`) is all that a page needs; the other fields of `GET /ad.html` can be given as `data-…` too, attributes of the app as `data-attr-<key>`. `data-target`, ' +
    '`data-watch`, `data-fallback` and `data-collapse` say where the ad appears and what appears without one.',
  access: 'public',
  dataPlane: true,
  answer: Type.String(),
  also: ['text/javascript'],
})

/** The stages that are decided by a request's own attributes and time. */
export const FITS = [
  'geo',
  'category',
  'device',
  'attribute',
  'gender',
  'age',
  'schedule',
  'hours',
  'sites',
  'enabled',
  'banner',
  'floor',
  'blocked',
] as const
export const STAGES = [...FITS, 'budget', 'cap', 'pacing'] as const
export type Stage = (typeof STAGES)[number]
export const FUNNEL_STAGES = [...STAGES, 'outbid'] as const
/** A smaller sample says nothing about the requests to come. */
export const LEAST_SAMPLED = 30
export type FunnelStage = (typeof FUNNEL_STAGES)[number]

const Verdict = Body({
  stage: Choice(STAGES, { description: 'What was tested, in the order of the tests.' }),
  passed: Type.Boolean({ description: 'Whether the request passed this test.' }),
  why: Type.String({ description: 'In words.' }),
})
export const Explanation = Body({
  pid: Id('Persona.'),
  served: Type.Boolean({
    description: 'Whether it passes every stage; a higher price may still win.',
  }),
  expectedCpm: Type.Number({
    description:
      'What it is ranked by: its `cpm`; or, if clicks are paid for, what 1,000 impressions of its best fitting banner are expected to bring, over all sources: 1000 × `cpc` × (clicks + 500 × m) / (imps + 500), with m the usual click rate of the size.',
  }),
  stages: Type.Array(Verdict, { description: 'Each test, in order.' }),
})
export type Explanation = Static<typeof Explanation>

export const explain = endpoint({
  id: 'explainPersona',
  needs: 'read',
  method: 'POST',
  path: '/campaign/:cid/persona/:pid/explain',
  tag: 'Delivery',
  summary: 'Explain whether a request would get this persona',
  description:
    'Checks the persona, as it is in the database now, against a request like those of `POST /ad`. Nothing is served, ' +
    'reserved or counted.',
  access: 'customer',
  cuid: true,
  body: Body({
    ...visit,
    floor: Maybe(Type.Number({ minimum: 0, maximum: 1_000_000, description: 'Minimum CPM.' })),
    sourceId: Maybe(
      Id(
        'The source that it comes from, with its floors and what it refuses. Default: one that asks for nothing.',
      ),
    ),
    app: Maybe(Text(1, 253, { description: 'The bundle of the app, if it is not a page.' })),
  }),
  answer: Explanation,
  examples: { body: VISIT_EXAMPLE },
})

const StageCount = Body({
  stage: Choice(FUNNEL_STAGES, {
    description:
      'What was tested, in the order of the tests; `outbid`: another campaign offered as much or more.',
  }),
  passed: Type.Integer({ description: 'Sampled requests that passed this stage and all before it.' }),
  refused: Type.Integer({ description: 'Sampled requests that failed at this stage.' }),
})
export const Funnel = Body({
  pid: Id('Persona.'),
  since: UnixTime({
    description:
      'Start of the first hour that there is a sample of, within the hours asked for; not before the persona was created and its campaign began.',
  }),
  requests: Type.Integer({ description: 'Ad requests since then.' }),
  sampled: Type.Integer({
    description:
      'How many of them are in the sample; each represents an equal share. Fewer than 30 say nothing yet.',
  }),
  stages: Type.Array(StageCount, { description: 'Each test, in order.' }),
  served: Type.Integer({ description: 'Impressions of this persona since then: exact, not sampled.' }),
})
export type Funnel = Static<typeof Funnel>

export const funnel = endpoint({
  id: 'personaFunnel',
  method: 'GET',
  path: '/campaign/:cid/persona/:pid/funnel',
  tag: 'Delivery',
  summary: 'How far recent ad requests got with this persona',
  description:
    'A representative sample of real requests (at most 4,096), kept by hour for 28 days, is checked against the ' +
    'persona as it is now: after an edit the answer changes immediately. Each request is judged at its own time: ' +
    'flights and hours by its clock, and budget, cap, pacing and other bidders as they were decided then.',
  access: 'customer',
  cuid: true,
  query: {
    hours: {
      schema: Type.Integer({ minimum: 1, maximum: 672 }),
      description: 'How many hours to look back, the current one included; default: 24.',
    },
  },
  answer: Funnel,
})
