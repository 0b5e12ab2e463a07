// Checks a bid response against the request it answers, by the rules of OpenRTB 2.5/2.6 that a banner bidder must keep.
// The check is independent of the bidder: it reads the raw documents and shares no code with delivery.

type Json = Record<string, unknown>

export interface Rules {
  /** The deployment's currency. */
  currency: string
  seat: string
}

/** Describes every fault of the response; empty if it keeps the rules. */
export function bidResponseFaults(request: unknown, response: unknown, rules: Rules): string[] {
  const asked = request as Json
  const answer = JSON.parse(JSON.stringify(response)) as Json
  const faults: string[] = []
  const check = (isTrue: boolean, words: string): void => {
    if (!isTrue) faults.push(words)
  }
  check(answer.id === asked.id, 'id is not the id of the request')
  const currency = (answer.cur ?? 'USD') as string
  check(currency === rules.currency, `cur is ${currency}`)
  const allowed = list(asked.cur)
  check(allowed.length === 0 || allowed.includes(currency), 'cur is not allowed by the request')
  const seats = list(answer.seatbid) as Json[]
  check(seats.length > 0, 'seatbid is empty: no bid is 204')
  const answered = new Set<unknown>()
  const bidIds = new Set<unknown>()
  for (const seat of seats) {
    check(seat.seat === rules.seat, `seat is ${String(seat.seat)}`)
    checkSeat(asked, rules, check)
    const bids = list(seat.bid) as Json[]
    check(bids.length > 0, 'a seatbid holds no bid')
    for (const bid of bids) {
      check(!answered.has(bid.impid), `imp ${String(bid.impid)} got two bids`)
      check(!bidIds.has(bid.id), `bid id ${String(bid.id)} comes twice`)
      answered.add(bid.impid)
      bidIds.add(bid.id)
      const imp = (list(asked.imp) as Json[]).find(candidate => candidate.id === bid.impid)
      check(imp !== undefined, `impid ${String(bid.impid)} is not in the request`)
      if (imp) checkBid(asked, imp, bid, rules, check)
    }
  }
  return faults
}

type Check = (isTrue: boolean, words: string) => void

function checkSeat(asked: Json, rules: Rules, check: Check): void {
  const wanted = list(asked.wseat)
  check(wanted.length === 0 || wanted.includes(rules.seat), 'our seat is not in wseat')
  check(!list(asked.bseat).includes(rules.seat), 'our seat is in bseat')
}

function checkBid(asked: Json, imp: Json, bid: Json, rules: Rules, check: Check): void {
  for (const name of ['id', 'impid', 'adid', 'crid', 'cid', 'adm', 'burl', 'lurl', 'iurl']) {
    check(typeof bid[name] === 'string' && bid[name] !== '', `${name} is not a text`)
  }
  check(typeof bid.price === 'number' && bid.price > 0, 'price is not a positive number')
  check(bid.mtype === 1, 'mtype is not 1 (banner)')
  check(Number.isInteger(bid.exp) && (bid.exp as number) > 0, 'exp is not a number of seconds')
  const banner = imp.banner as Json | undefined
  check(banner !== undefined && banner !== null, 'the imp wants no banner')
  if (!banner) return
  check(!list(banner.btype).includes(2), 'linked images are blocked by btype')
  checkFloor(imp, bid, rules, check)
  checkSize(imp, banner, bid, check)
  checkBlocks(asked, banner, bid, check)
  check(
    String(bid.burl).includes(['$', '{AUCTION_PRICE}'].join('')),
    'burl has no macro for the price, or an encoded one',
  )
  if (imp.secure === 1) {
    for (const name of ['burl', 'lurl', 'iurl']) {
      check(String(bid[name]).startsWith('https://'), `${name} is not secure`)
    }
    check(!/(?:src|href)=["']http:/.test(String(bid.adm)), 'adm has an insecure link')
  }
}

function checkFloor(imp: Json, bid: Json, rules: Rules, check: Check): void {
  const pmp = imp.pmp as Json | undefined
  const deals = list(pmp?.deals) as Json[]
  const deal = deals.find(candidate => candidate.id === bid.dealid)
  check(bid.dealid === undefined || deal !== undefined, `dealid ${String(bid.dealid)} is not in the imp`)
  check(pmp?.private_auction !== 1 || deal !== undefined, 'a private auction wants a deal')
  const seats = list(deal?.wseat)
  check(seats.length === 0 || seats.includes(rules.seat), 'the deal is for other seats')
  const fields = deal ?? imp
  const floor = typeof fields.bidfloor === 'number' ? fields.bidfloor : 0
  if (floor <= 0) return
  check((fields.bidfloorcur ?? 'USD') === rules.currency, 'the floor is in another currency')
  check((bid.price as number) >= floor, `price ${String(bid.price)} is under the floor ${floor}`)
}

function checkSize(imp: Json, banner: Json, bid: Json, check: Check): void {
  const formats = (list(banner.format) as Json[]).filter(format => isSide(format?.w) && isSide(format?.h))
  const isExact = formats.length > 0 || imp.instl !== 1
  const sizes = formats.length > 0 ? formats : [banner]
  const fits = sizes.some(size =>
    isExact
      ? size.w === bid.w && size.h === bid.h
      : !isSide(size.w) ||
        ((bid.w as number) <= (size.w as number) && (bid.h as number) <= (size.h as number)),
  )
  check(fits, `size ${String(bid.w)}x${String(bid.h)} is not allowed`)
}

function isSide(value: unknown): boolean {
  return typeof value === 'number' && value > 0
}

function checkBlocks(asked: Json, banner: Json, bid: Json, check: Check): void {
  const domains = list(bid.adomain) as string[]
  check(domains.length > 0, 'adomain is empty')
  for (const domain of domains) {
    for (const blocked of list(asked.badv)) {
      if (typeof blocked !== 'string') continue
      const refused = domain === blocked.toLowerCase() || domain.endsWith(`.${blocked.toLowerCase()}`)
      check(!refused, `adomain ${domain} is blocked by badv`)
    }
  }
  for (const code of list(bid.cat) as string[]) {
    for (const blocked of list(asked.bcat)) {
      check(code !== blocked && !code.startsWith(`${String(blocked)}-`), `cat ${code} is blocked by bcat`)
    }
  }
  for (const attribute of list(bid.attr)) {
    check(!list(banner.battr).includes(attribute), `attr ${String(attribute)} is blocked by battr`)
  }
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
