// Issues: what keeps a customer's campaigns from delivering, and where to fix it.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Finding } from '../../http/failure.ts'
import { Body, Choice, Id, Nullable } from '../../http/schema.ts'

export const ISSUE_CODES = [
  'no_persona',
  'personas_paused',
  'no_banner',
  'banners_paused',
  'banner_rejected',
  'banner_pending',
  'landing_page',
  'budget_spent',
  'month_spent',
  'total_spent',
  'balance_spent',
  'off_hours',
  'frozen',
  'place_unknown',
  'attribute_unseen',
  'ads_unseen',
  'too_many_unseen',
  'too_many_seen',
  'visitor_share',
  'other_visitor',
  'foreign_domain',
  'bot',
  'late',
  'no_request_fits',
  'below_floors',
  'mostly_blocked',
  'mostly_capped',
  'mostly_outbid',
] as const
export type IssueCode = (typeof ISSUE_CODES)[number]

export const Issue = Body({
  code: Choice(ISSUE_CODES, { description: 'What keeps it from delivering.' }),
  cid: Id('Campaign.'),
  campaign: Type.String({ description: 'Its name.' }),
  pid: Nullable(Id('Persona, if it is about one.')),
  persona: Nullable(Type.String({ description: 'Name of that persona.' })),
  bid: Nullable(Id('Banner, if it is about one.')),
  banner: Nullable(Type.String({ description: 'Name of that banner.' })),
  reasons: Type.Array(Type.String(), {
    description:
      'For a person: what a review found, what is wrong with a place, or how many ads are affected.',
  }),
  findings: Type.Array(Finding, { description: 'The same as data, in the same order.' }),
})
export type Issue = Static<typeof Issue>

const ABOUT =
  'no persona, all personas paused, a persona without banners or with only paused ones, rejected banners, banners whose ' +
  'review is delayed, landing pages that do not answer, are not https or drop `mqclid` (`landing_page`, once per page and campaign), a spent daily budget, total budget or balance, hours that have not begun (`off_hours`), a customer that is frozen (`frozen`), places ' +
  'that our tables do not know and that may be misspelled, and attributes that are no longer declared or that no request of the last 28 days had (`attribute_unseen`). Also signs of abuse of a site’s public key today: most ads are never seen (`ads_unseen`), one address ' +
  'requested more unseen ads than allowed (`too_many_unseen`), saw more than are billed (`too_many_seen`) or used more ' +
  'of the daily budget than allowed (`visitor_share`), or many pixels came from visitors who did not request the ad ' +
  '(`other_visitor`). Also events that were refused in bulk today, a hundred and a tenth of the ads or more: `foreign_domain`, `bot`, ' +
  '`late`. And, by an hourly check of a sample of the last day’s ad requests, campaigns that run and get nowhere: none fits ' +
  '(`no_request_fits`), nearly all that fit cost more than is offered (`below_floors`), are blocked by publishers (`mostly_blocked`), ' +
  'come from visitors who may not see it again (`mostly_capped`), or go to higher bids (`mostly_outbid`).'
const EXAMPLE = {
  cid: 1002,
  campaign: 'Spring bikes',
  pid: null,
  persona: null,
  bid: null,
  banner: null,
}

const UNSEEN = '12 of 4,000 ads served today were seen.'
const WRONG_SIZE = 'The image is 301x250, but 300x250 was declared.'

export const listCampaignIssues = endpoint({
  id: 'listCampaignIssues',
  method: 'GET',
  path: '/campaign/:cid/issues',
  tag: 'Campaigns',
  summary: 'What keeps a campaign from delivering',
  description: `While it is enabled and has not ended: ${ABOUT}`,
  access: 'customer',
  cuid: true,
  answer: Type.Array(Issue),
  examples: {
    answer: [
      {
        ...EXAMPLE,
        code: 'ads_unseen',
        reasons: [UNSEEN],
        findings: [{ code: 'ads_unseen', params: { seen: 12, served: 4000 }, message: UNSEEN }],
      },
    ],
  },
})

export const listIssues = endpoint({
  id: 'listIssues',
  method: 'GET',
  path: '/issues',
  tag: 'Campaigns',
  summary: 'What keeps campaigns from delivering',
  description: `For campaigns that are enabled and have not ended: ${ABOUT} At most 200, newest campaign first.`,
  access: 'customer',
  cuid: true,
  answer: Type.Array(Issue),
  examples: {
    answer: [
      {
        ...EXAMPLE,
        code: 'banner_rejected',
        pid: 1004,
        persona: 'Commuters in Ontario',
        bid: 1005,
        banner: 'bike.png',
        reasons: [WRONG_SIZE],
        findings: [
          {
            code: 'image_not_as_declared',
            params: { width: 301, height: 250, declaredWidth: 300, declaredHeight: 250 },
            message: WRONG_SIZE,
          },
        ],
      },
    ],
  },
})
