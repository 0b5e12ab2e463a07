// A bidder adapter for Prebid.js, by the conventions of Prebid's own: put it into `modules/` of a Prebid.js checkout
// and build with `gulp build --modules=marqueeBidAdapter`, or bundle it with the package from npm. See
// marqueeBidAdapter.md.

import { ortbConverter } from '../libraries/ortbConverter/converter.js'
import { registerBidder } from '../src/adapters/bidderFactory.js'
import { config } from '../src/config.js'
import { BANNER } from '../src/mediaTypes.js'
import { logInfo } from '../src/utils.js'

/**
 * @typedef {import('../src/adapters/bidderFactory.js').Bid} Bid
 * @typedef {import('../src/adapters/bidderFactory.js').BidRequest} BidRequest
 * @typedef {import('../src/adapters/bidderFactory.js').ServerRequest} ServerRequest
 */

const BIDDER_CODE = 'marquee'
/** The service holds the money for a minute after the bid. */
const TTL_S = 50
/** At most this many places are considered in one request. */
const MOST_PLACES = 20
const KEY = /^mqs[\w-]{8,100}$/

const converter = ortbConverter({
  context: { netRevenue: true, ttl: TTL_S, mediaType: BANNER },
  imp(buildImp, bidRequest, context) {
    const { id, banner, bidfloor, bidfloorcur } = buildImp(bidRequest, context)
    return { id, banner, bidfloor, bidfloorcur, secure: window.location.protocol === 'https:' ? 1 : 0 }
  },
  /** Only what the service reads: it knows the visitor by the connection. `cur` is left to Prebid. */
  request(buildRequest, imps, bidderRequest, context) {
    const request = buildRequest(imps, bidderRequest, context)
    const { id, imp, site, regs, user, tmax, test, bcat, cattax, badv } = request
    const { domain, page, cat, sectioncat, pagecat } = site ?? {}
    return {
      id,
      imp,
      site: { domain, page, cat, sectioncat, pagecat, cattax: site?.cattax },
      regs,
      user: { gender: user?.gender, yob: user?.yob, ext: { consent: user?.ext?.consent ?? user?.consent } },
      tmax,
      test,
      bcat,
      cattax,
      badv,
    }
  },
})

export const spec = {
  code: BIDDER_CODE,
  supportedMediaTypes: [BANNER],

  /** @param {BidRequest} bid */
  isBidRequestValid({ params, mediaTypes }) {
    return hostOf(params?.host) !== null && KEY.test(params?.siteKey) && Boolean(mediaTypes?.[BANNER])
  },

  /**
   * One request for each site, however many places it has on the page.
   * @returns {ServerRequest[]}
   */
  buildRequests(bidRequests, bidderRequest) {
    const byUrl = new Map()
    for (const bid of bidRequests) {
      const url = `${hostOf(bid.params.host)}/openrtb2/site/${bid.params.siteKey}`
      byUrl.set(url, [...(byUrl.get(url) ?? []), bid])
    }
    // A custom header makes the browser send a preflight request, so it is only for debugging.
    const customHeaders = config.getConfig('debug') ? { 'x-marquee-debug': '1' } : undefined
    return [...byUrl].flatMap(([url, bids]) =>
      inParts(bids).map(part => ({
        method: 'POST',
        url,
        data: converter.toORTB({ bidRequests: part, bidderRequest }),
        options: { contentType: 'text/plain', withCredentials: true, customHeaders },
      })),
    )
  },

  /** @returns {Bid[]} */
  interpretResponse({ body }, { data }) {
    const reason = body?.ext?.marquee?.reason
    if (reason) logInfo(`${BIDDER_CODE}: no bid: ${reason}`)
    if (!body?.seatbid?.length) return []
    return converter.fromORTB({ response: body, request: data }).bids
  },

  /** The service cannot tell who the visitor is, so there is nothing to sync. */
  getUserSyncs() {
    return []
  },
}

/** An http(s) URL without a trailing slash; null if it is not one. */
function hostOf(host) {
  if (typeof host !== 'string' || !/^https?:\/\/[^/?#]/.test(host)) return null
  return host.replace(/\/+$/, '')
}

function inParts(bids) {
  const parts = []
  for (let at = 0; at < bids.length; at += MOST_PLACES) parts.push(bids.slice(at, at + MOST_PLACES))
  return parts
}

registerBidder(spec)
