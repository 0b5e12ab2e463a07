// Orders: operations on a campaign and everything in it, done completely or not at all. They create a campaign with its
// flights, personas and banners in one call, or copy a campaign, a persona or a banner.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Id, Maybe, START_BEFORE_END, Text, UnixTime } from '../../http/schema.ts'
import { Banner, bannerExample, NewBanner, readBannerExample } from '../banners/contract.ts'
import { Campaign, campaignExample, NewCampaign, readCampaignExample } from '../campaigns/contract.ts'
import { Flight, NewFlight } from '../campaigns/flights/contract.ts'
import { Job } from '../jobs/contract.ts'
import { NewPersona, Persona, personaExample, readPersonaExample } from '../personas/contract.ts'

/** The most objects that one call creates; larger orders become jobs. */
export const MOST_AT_ONCE = 2000
const MAX_PERSONAS = 100
const MAX_BANNERS = 100
const MAX_FLIGHTS = 100

const banners = Maybe(
  Type.Array(NewBanner, {
    maxItems: MAX_BANNERS,
    description: 'Its banners, created with it or not at all.',
  }),
)

export const NewPersonaOrder = Body({ ...NewPersona.properties, banners })
export type NewPersonaOrder = Static<typeof NewPersonaOrder>

export const NewOrder = Body(
  {
    ...NewCampaign.properties,
    flights: Maybe(
      Type.Array(NewFlight, {
        maxItems: MAX_FLIGHTS,
        description: 'Its own flights, created with it or not at all.',
      }),
    ),
    personas: Maybe(
      Type.Array(NewPersonaOrder, {
        maxItems: MAX_PERSONAS,
        description: 'Its personas with their banners, created with it or not at all.',
      }),
    ),
  },
  START_BEFORE_END,
)
export type NewOrder = Static<typeof NewOrder>

export const PersonaOrder = Body({
  ...Persona.properties,
  banners: Type.Optional(Type.Array(Banner, { description: 'If any were created with it.' })),
})
export type PersonaOrder = Static<typeof PersonaOrder>

export const Order = Body({
  ...Campaign.properties,
  flights: Type.Optional(Type.Array(Flight, { description: 'If any were created with it.' })),
  personas: Type.Optional(Type.Array(PersonaOrder, { description: 'If any were created with it.' })),
})
export type Order = Static<typeof Order>

const WHOLE =
  'Everything is checked first; if anything is invalid (`/personas/0/banners/1/width`), nothing is created.'
const ofCustomer = { access: 'customer', cuid: true } as const
/** For endpoints that may create very many objects. */
const mayBeJob = { later: Job, problems: ['too_many_objects'], manyValues: true } as const
const LARGE =
  ' More than 2,000 objects are created as a job: the answer is 202, and `GET /job/:id` shows the progress.'

export const createCampaign = endpoint({
  ...ofCustomer,
  ...mayBeJob,
  tag: 'Campaigns',
  id: 'createCampaign',
  needs: 'spend',
  method: 'POST',
  path: '/campaign',
  summary: 'Create a campaign, alone or with its flights, personas and banners',
  description: `It starts with one flight that spans it, and delivers once it has a persona with an approved banner. With \`flights\`, and \`personas\`, each with its \`banners\`, the whole order is created in one call. ${WHOLE}${LARGE}`,
  body: NewOrder,
  status: 201,
  etag: true,
  dryRun: true,
  makes: ['cid', 'fid', 'pid', 'bid'],
  answer: Order,
  examples: { body: campaignExample, answer: readCampaignExample },
})

export const createPersona = endpoint({
  ...ofCustomer,
  ...mayBeJob,
  tag: 'Personas',
  id: 'createPersona',
  needs: 'edit',
  method: 'POST',
  path: '/campaign/:cid/persona',
  summary: 'Create a persona, alone or with its banners',
  description: `A city unknown to our tables is kept, with an entry in \`warnings\`. ${WHOLE}${LARGE}`,
  body: NewPersonaOrder,
  status: 201,
  etag: true,
  dryRun: true,
  makes: ['pid', 'bid'],
  answer: PersonaOrder,
  examples: {
    body: { ...personaExample, banners: [bannerExample] },
    answer: { ...readPersonaExample, banners: [readBannerExample] },
  },
})

const copyName = Maybe(Text(1, 255, { description: 'Default: the original name followed by ` (copy)`.' }))

export const CampaignCopy = Body(
  {
    name: copyName,
    start: Maybe(UnixTime({ description: "Default: the original's." })),
    end: Maybe(UnixTime({ description: "Default: the original's. Must be in the future." })),
    dailySpend: Maybe(NewCampaign.properties.dailySpend),
    monthlySpend: NewCampaign.properties.monthlySpend,
    totalSpend: NewCampaign.properties.totalSpend,
    enabled: Maybe(
      Type.Boolean({
        description: 'Default false, so that a copy spends nothing until it is enabled.',
      }),
    ),
  },
  START_BEFORE_END,
)
export type CampaignCopy = Static<typeof CampaignCopy>

const DETAILS =
  'Banners keep the review status of their image. The copy has no `externalId`; objects in it keep theirs. If any part cannot be created, nothing is.'

export const copyCampaign = endpoint({
  ...ofCustomer,
  ...mayBeJob,
  tag: 'Campaigns',
  id: 'copyCampaign',
  needs: 'spend',
  method: 'POST',
  path: '/campaign/:cid/copy',
  summary: 'Copy a campaign with everything in it',
  description: `The copy is paused unless \`enabled\` says otherwise. Its flights are copied if the dates stay the same; with other dates the copy has no flights of its own. ${DETAILS}${LARGE}`,
  body: CampaignCopy,
  bodyOptional: true,
  status: 201,
  etag: true,
  dryRun: true,
  makes: ['cid', 'fid', 'pid', 'bid'],
  answer: Order,
  examples: {
    body: { name: 'Spring bikes, second round' },
    answer: {
      ...readCampaignExample,
      cid: 1012,
      name: 'Spring bikes, second round',
      enabled: false,
      status: 'paused',
      personas: [{ ...readPersonaExample, pid: 1013, cid: 1012, banners: [] }],
    },
  },
})

export const PersonaCopy = Body({
  name: copyName,
  cid: Maybe(Id('The campaign to copy it to, of the same customer; default: its own.')),
})
export type PersonaCopy = Static<typeof PersonaCopy>

export const copyPersona = endpoint({
  ...ofCustomer,
  ...mayBeJob,
  tag: 'Personas',
  id: 'copyPersona',
  needs: 'edit',
  method: 'POST',
  path: '/campaign/:cid/persona/:pid/copy',
  summary: 'Copy a persona with its banners',
  description: DETAILS + LARGE,
  body: PersonaCopy,
  bodyOptional: true,
  status: 201,
  etag: true,
  dryRun: true,
  makes: ['pid', 'bid'],
  answer: PersonaOrder,
  examples: {
    body: { name: 'Cyclists around Ottawa' },
    answer: { ...readPersonaExample, pid: 1014, name: 'Cyclists around Ottawa', banners: [] },
  },
})

export const BannerCopy = Body({
  name: copyName,
  cid: Maybe(Id('The campaign of the persona to copy it to; default: its own.')),
  pid: Maybe(Id('The persona to copy it to, of the same customer; default: its own.')),
})
export type BannerCopy = Static<typeof BannerCopy>

export const copyBanner = endpoint({
  ...ofCustomer,
  tag: 'Banners',
  id: 'copyBanner',
  needs: 'edit',
  method: 'POST',
  path: '/campaign/:cid/persona/:pid/banner/:bid/copy',
  summary: 'Copy a banner',
  description: DETAILS,
  body: BannerCopy,
  bodyOptional: true,
  status: 201,
  etag: true,
  dryRun: true,
  makes: ['bid'],
  answer: Banner,
  examples: {
    body: { name: 'Summer sale, second' },
    answer: { ...readBannerExample, bid: 1015, name: 'Summer sale, second' },
  },
})
