// The messages of the API as patterns, each with the word of the catalogue that translates it. Data only: the names of
// the groups in brackets, each with its format.

import type { en } from './en.ts'

type Word = keyof typeof en
/** `min:money`: the first group is `{min}`, written as money. `from:range`: it and the next one are one period. */
export type Rule = [form: RegExp, word: Word, names?: string]

/** At a field. */
export const FIELD_RULES: Rule[] = [
  [/^is required|^is missing|, not null$|^must not be empty$/, 'error.required'],
  [/^must have at least (\d+) characters/, 'error.tooShort', 'min:text'],
  [/^must have at most (\d+) characters, has (\d+)/, 'error.tooLong', 'max:text has:text'],
  [/^must be an e-mail address/, 'error.email'],
  [/^must be an http or https URL, or the path/, 'error.image'],
  [/^must be an https? (?:or https )?URL/, 'error.url'],
  [/^must not contain a user name/, 'error.url'],
  [/^must be a public address/, 'error.privateAddress'],
  [/^must be an IANA time zone/, 'error.timeZone'],
  [/^must match /, 'error.form'],
  [/^must be well-formed Unicode|NUL character/, 'error.characters'],
  [/^must be a Unix time/, 'error.date'],
  [/^must be an amount from (\S+) to (\S+)$/, 'error.amountBetween', 'min:money max:money'],
  [/^must be an? (?:amount|number|integer), not /, 'error.number'],
  [/^must be an? (?:number|integer) from (\S+) to (\S+)$/, 'error.between', 'min:count max:count'],
  [/^must be an? (?:number|integer) of at least (\S+)$/, 'error.atLeast', 'min:count'],
  [/^must be an? (?:number|integer) of at most (\S+)$/, 'error.atMost', 'max:count'],
  [/^must be an integer$/, 'error.whole'],
  [/^must have at most (\d+) decimals$/, 'error.decimals', 'count:text'],
  [/^must have .* entries, has 0$/, 'error.chooseOne'],
  [/^must have from \d+ to (\d+) entries, has (\d+)$/, 'error.entries', 'max:text has:text'],
  [/^must have at least one of /, 'error.chooseOne'],
  [/^must have (?:one form only|either geos)/, 'error.place'],
  [/^must be a latitude .*the order is/, 'error.swapped'],
  [/^must be a latitude/, 'error.latitude'],
  [/^must be a longitude/, 'error.longitude'],
  [/^"(.*?)" is not a code of IAB/, 'error.category', 'code:text'],
  [/^must be before end, which is (\d+)/, 'error.beforeEnd', 'time:time'],
  [/^must be after start, which is (\d+)/, 'error.afterStart', 'time:time'],
  [/^must lie in the future/, 'error.future'],
  [/^must lie inside the campaign's dates, (\d+) to (\d+)/, 'error.inside', 'period:range'],
  [/^no image of this customer/, 'error.noUpload'],
  [/^(\d+x\d+) is not an allowed size/, 'error.size', 'size:size'],
  [/^must be given together with/, 'error.together'],
  [/^is not (?:a field here|edited here)|^is another name for/, 'error.notHere'],
  [/^must be (?:".*"|true or false|null|an? (?:string|array|object)|one of)/, 'error.choice'],
  [/^"(.*?)": .*(?:country|state\/province|city|ISO 3166)/, 'error.unknownPlace', 'place:text'],
]

/** Of a review, of an upload and of an issue. Reasons of old reviews are kept as they were worded then. */
export const REVIEW_RULES: Rule[] = [
  [/^The file is empty/, 'why.empty'],
  [/^The file is (.*); allowed are JPEG/, 'why.kind', 'kind:kind'],
  [/^(It is not an image)/, 'why.kind', 'kind:kind'],
  [
    /^The file (?:ends before|is damaged)|cannot be decoded|does not decode|other data after the end/,
    'why.damaged',
  ],
  [/^The (?:image|animation) has ([\d,]+) pixels.*; at most ([\d,]+)/, 'why.pixels', 'count:count max:count'],
  [/^The animation has ([\d,]+) frames; at most ([\d,]+)/, 'why.frames', 'count:count max:count'],
  [/^The image is stored turned/, 'why.turned'],
  [
    /^The image is (\d+x\d+)(?:, but|; declared is) (?:a (?:width|height) of )?(\d+(?:x\d+)?)/,
    'why.declared',
    'size:size declared:size',
  ],
  [/^The image is (\d+x\d+), which is (?:not an|no) allowed size/, 'why.size', 'size:size'],
  [
    /^The file has ([\d,]+) bytes; (\d+x\d+) may have at most ([\d,]+)/,
    'why.weight',
    'bytes:weight size:size max:weight',
  ],
  [/^The animation repeats (?:forever|without end);.*at most (\S+) s/, 'why.endless', 'max:text'],
  [
    /^(?:The animation runs for|One play of the animation takes) (\S+) s.*; (?:at most|allowed are) (\S+) s/,
    'why.long',
    'seconds:text max:text',
  ],
  [
    /^The animation shows up to (\S+) frames .*; (?:at most|allowed are) (\S+)/,
    'why.fast',
    'rate:text max:text',
  ],
  [/^There is no click-through URL/, 'why.noClick'],
  [/is (?:not a|no) valid click-through URL/, 'why.badClick'],
  [/^The image could not be fetched/, 'why.unreachable'],
  [/^The creative URL (?:is not a valid|must)/, 'why.address'],
  [/^The creative URL redirects/, 'why.redirect'],
  [/^The creative URL answered with status (\d+)/, 'why.status', 'status:text'],
  [/^The creative URL answered with a compressed/, 'why.unreachable'],
  [/^The file is larger than ([\d,]+) bytes/, 'why.large', 'size:weight'],
  [/^The uploaded image is no longer/, 'why.gone'],
  [/^This was (?:attempt|try) (\d+) of (\d+)/, 'why.retry', 'attempt:text of:text'],
  [/^([\d,]+) of ([\d,]+) ads served today were seen/, 'why.unseen', 'seen:count served:count'],
  [/^([\d,]+) ads were not served today: one address/, 'why.heldUnseen', 'ads:count'],
  [/^([\d,]+) ads were not served or billed today: one address/, 'why.visitorShare', 'ads:count'],
  [/^([\d,]+) impressions were not billed today: one address/, 'why.seenTooOften', 'imps:count'],
  [/^([\d,]+) impressions were not counted today: they came/, 'why.others', 'imps:count'],
  [
    /^"(.*)" is a city that our tables do not know; did you mean (.*)\?$/,
    'why.placeMeant',
    'place:text meant:text',
  ],
  [/^"(.*)" is a city that our tables do not know/, 'why.placeUnknown', 'place:text'],
]

/** Of a problem as a whole, if its code alone says too little. */
export const PROBLEM_RULES: Rule[] = [
  [/must not overlap: this one overlaps with (.*)$/, 'error.overlap', 'name:flight'],
  [/^these dates would leave (.*) outside/, 'error.leftOutside', 'name:flight'],
  [/^this flight spans its campaign/, 'error.bornFlight'],
  [/^a campaign may have at most (\d+) flights/, 'error.tooManyFlights', 'max:text'],
  [/^this webhook is switched off/, 'error.webhookOff'],
  [/^an app may have at most (\d+) webhooks/, 'error.tooManyWebhooks', 'max:text'],
  [/^the image is larger than (\d+) bytes/, 'error.tooLargeFile', 'size:weight'],
  [/is not deleted$/, 'error.notDeleted'],
]

export function findRule(
  rules: readonly Rule[],
  message: string,
): { word: Word; names: string[]; found: string[] } | null {
  for (const [form, word, names] of rules) {
    const found = form.exec(message)
    if (found) return { word, names: names?.split(' ') ?? [], found: found.slice(1) }
  }
  return null
}
