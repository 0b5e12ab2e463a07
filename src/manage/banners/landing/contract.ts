// The page where a click on a banner leads, as the daily look found it.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../../http/endpoint.ts'
import { Finding } from '../../../http/failure.ts'
import { Body, Id, Nullable, UnixTime } from '../../../http/schema.ts'

export { CLICK_MACROS } from '../../../kernel/click-parameters.ts'

/** Of one customer; further addresses are not looked at. */
export const MOST_PAGES = 200

export const LandingPage = Body({
  url: Nullable(
    Type.String({ description: 'The finished address, without `mqclid`; null: a click leads nowhere.' }),
  ),
  checked: Nullable(UnixTime({ description: 'When it was last looked at; null: not yet.' })),
  brokenSince: Nullable(UnixTime({ description: 'Since when something is wrong; null: nothing is.' })),
  findings: Type.Array(Finding, { description: 'What is wrong; empty: nothing, or not looked at yet.' }),
})
export type LandingPage = Static<typeof LandingPage>

export const BrokenLandingPage = Body(
  {
    ...LandingPage.properties,
    cuid: Id('Customer id.'),
    banners: Type.Array(Body({ cid: Id('Campaign id.'), pid: Id('Persona id.'), bid: Id('Banner id.') }), {
      description: 'Banners of running campaigns that lead there, at most 20.',
    }),
  },
  { description: 'The page, and what leads there.' },
)
export type BrokenLandingPage = Static<typeof BrokenLandingPage>

const example = {
  url: 'https://bluebikes.example/summer?utm_source=marquee&utm_content=1009',
  checked: 1_790_000_000,
  brokenSince: null,
  findings: [],
}
const ofBanner = { tag: 'Banners', access: 'customer', cuid: true } as const
const PATH = '/campaign/:cid/persona/:pid/banner/:bid/landing-page'
const LOOK =
  'It is followed as a browser would, with a click id that belongs to nobody: up to 10 redirects within 15 s, never to a private address. Findings: it does not answer, is not https, or a redirect drops `mqclid`, without which no conversion is credited. They never reject a banner.'

export const readLandingPage = endpoint({
  ...ofBanner,
  id: 'readLandingPage',
  method: 'GET',
  path: PATH,
  summary: 'Read what was found at the landing page of a banner',
  description: `While its campaign runs, the page is looked at once a day. ${LOOK}`,
  answer: LandingPage,
  examples: { answer: example },
})

export const checkLandingPage = endpoint({
  ...ofBanner,
  id: 'checkLandingPage',
  needs: 'edit',
  method: 'POST',
  path: `${PATH}/check`,
  summary: 'Look at the landing page of a banner now',
  description: `For example after mending it. ${LOOK} A page that was looked at in the last 10 s is not asked again.`,
  answer: LandingPage,
  examples: { answer: example },
})
