// Findings about an image, a place or a campaign: a code, its values, and an English sentence made from both. A review
// stores findings, an issue lists them, and the refusal of an upload contains them.

import { fill, type Given, type ParamsIn } from './sentence.ts'

export const FINDINGS = {
  // The file.
  image_empty: 'The file is empty; allowed are JPEG, PNG, GIF and WebP images.',
  image_kind: 'The file is {kind:file}; allowed are JPEG, PNG, GIF and WebP images.',
  image_cut_short: 'The file ends before the image does; it is cut short.',
  image_damaged: 'The file is damaged: {detail:text}.',
  image_undecodable: 'The image cannot be decoded; the file is damaged or cut short.',
  image_contradictory: 'The file is damaged: its headers and its pictures contradict each other.',
  image_unreadable: 'The image cannot be read; the file is damaged.',
  image_too_heavy: 'The image takes too much memory or time to be read.',
  image_trailing_data: 'The file contains {bytes:count} bytes of other data after the end of the image.',
  image_too_many_parts: 'The file consists of more than {max:count} parts, the most that are read.',
  image_too_many_pixels: 'The image has {count:count} pixels; at most {max:count} are read.',
  image_turned:
    'The image is stored turned or mirrored (EXIF orientation {orientation:number}); save it upright (orientation 1 or none).',

  // Its size.
  image_not_as_declared:
    'The image is {width:number}x{height:number}, but {declaredWidth:number}x{declaredHeight:number} was declared.',
  image_width_not_as_declared:
    'The image is {width:number}x{height:number}, but a width of {declaredWidth:number} was declared.',
  image_height_not_as_declared:
    'The image is {width:number}x{height:number}, but a height of {declaredHeight:number} was declared.',
  image_size_not_allowed:
    'The image is {width:number}x{height:number}, which is not an allowed size; allowed are {allowed:list}.',
  image_too_large:
    'The file is {bytes:count} bytes; {width:number}x{height:number} banners may be at most {maxBytes:count}.',

  // Its animation.
  animation_too_many_pixels:
    'The animation has {count:count} pixels in all its frames; at most {max:count} are read.',
  animation_too_many_frames: 'The animation has more than {max:count} frames, the most that are read.',
  animation_endless: 'The animation repeats forever; it must stop after at most {maxSeconds:count} s.',
  animation_play_too_long:
    'One play of the animation takes {seconds:count} s; at most {maxSeconds:count} s are allowed.',
  animation_too_long:
    'The animation runs for {seconds:count} s; at most {maxSeconds:count} s in all are allowed.',
  animation_plays_too_long:
    'The animation runs for {seconds:count} s ({plays:count} plays of {playSeconds:count} s); at most {maxSeconds:count} s in all are allowed.',
  animation_too_fast:
    'The animation shows up to {rate:count} frames per second (a frame is shown for {frameMs:count} ms); at most {maxRate:count} are allowed (each frame for at least {minFrameMs:count} ms).',

  // Where a click leads.
  click_url_missing:
    'There is no click-through URL: the banner has no clickUrl and the customer has no website.',
  click_url_invalid:
    "The banner's clickUrl is not a valid click-through URL; it must begin with http:// or https://.",
  website_invalid:
    "The customer's website is not a valid click-through URL; it must begin with http:// or https://.",

  // Looking at the page where a click leads.
  landing_unreachable:
    'The landing page could not be reached: its host is unknown or unreachable, its certificate is not valid, or it is not allowed.',
  landing_timeout: 'The landing page did not answer within {seconds:number} s.',
  landing_status: 'The landing page answers with status {status:number}.',
  landing_redirects: 'The landing page redirects more than {max:number} times.',
  landing_not_https: 'The landing page ends at {page:text}, without https.',
  landing_loses_click:
    'The redirect from {from:text} to {to:text} drops mqclid: what visitors do there is not credited to their click.',

  // Fetching the image.
  creative_unreachable: 'The image could not be fetched: its host is unknown, unreachable or not allowed.',
  creative_timeout: 'The image could not be fetched: it did not come within {seconds:number} s.',
  creative_url_invalid: 'The creative URL is not a valid address.',
  creative_url_scheme: 'The creative URL must begin with http:// or https://.',
  creative_url_with_password: 'The creative URL must not contain a user name or password.',
  creative_redirects:
    'The creative URL redirects (status {status:number}); give the address of the image itself.',
  creative_status: 'The creative URL answered with status {status:number}; only 200 is accepted.',
  creative_compressed: 'The creative URL answered with a compressed body; the image must be sent as it is.',
  creative_too_large: 'The file is larger than {maxBytes:count} bytes, the most that is fetched.',
  upload_gone: 'The uploaded image is no longer here; upload it again.',
  review_postponed:
    'This was attempt {attempt:number} of {attempts:number}; the next one follows automatically.',
  review_waits: 'The image could not be read, through no fault of its own; it is tried again automatically.',
  review_by_hand: 'It has passed the checks; a person looks at it before it is shown.',
  rejected_by_hand: 'A person has rejected it: {reason:text}',

  // Whether a site owns its domain.
  domain_unreachable: 'The domain could not be asked: it is unknown, unreachable or not allowed.',
  domain_status: 'The file answered with status {status:number}; only 200 is accepted.',
  domain_file_unusable: 'The file is compressed or too large; it must be a short plain text.',
  domain_key_missing: "The file does not contain the site's public key on a line of its own.",

  // Places.
  city_unknown: '{place:quoted} is a city that our tables do not know; check how it is written',
  city_mistyped: '{place:quoted} is a city that our tables do not know; did you mean {suggestion:text}?',

  // What a persona targets by attributes of the app.
  attribute_unseen:
    'No request of the last {days:number} days had the value {value:quoted} of the attribute {key:text}.',
  attribute_absent: 'No request of the last {days:number} days had the attribute {key:text}.',
  attribute_gone:
    'The attribute {key:text} is no longer declared as the persona targets it, so no request has it.',

  // The budgets and the hours of a campaign.
  flight_spent: 'The flight {flight:quoted} has spent its total.',
  off_hours: 'It is outside its hours; they begin again at {resumes:time}.',
  off_hours_for_good: 'It is outside its hours, and none of them lies before its end.',

  // A day of a campaign.
  ads_unseen: '{seen:count} of {served:count} ads served today were seen.',
  too_many_unseen:
    '{ads:count} ads were not served today: one address may have {max:count} unseen ads of a site at once, and a quarter of what a campaign may spend.',
  too_many_seen: '{imps:count} impressions were not billed today: one address had too many within an hour.',
  visitor_share:
    '{ads:count} ads were not served or billed today: one address, or its network, had its part of the day’s budget.',
  other_visitor:
    '{imps:count} impressions were not counted today: they came from visitors who had not asked for those ads.',

  foreign_domain:
    '{imps:count} impressions were not counted today: they came from pages of other sites than those that their publisher has named.',
  bot: '{imps:count} impressions were not counted today: they came from robots.',
  late: '{imps:count} impressions were not counted today: they were reported too late.',

  // The last day of a campaign that is stalled.
  no_request_fits:
    'None of about {requests:count} ad requests of the last day fits its places, audience and banner sizes.',
  below_floors:
    '{refused:count} of about {requests:count} ad requests that fit it cost more than the {cpm:number} that it offers per 1,000 impressions; {needed:number} would reach half of them.',
  mostly_blocked: 'Publishers block it in {refused:count} of about {requests:count} ad requests that fit it.',
  mostly_capped:
    'In {refused:count} of about {requests:count} ad requests that fit it, the visitor has seen it often enough or is not known.',
  mostly_outbid:
    'Other campaigns offer as much or more in {refused:count} of about {requests:count} ad requests that fit it.',

  // From a time when findings were stored only as sentences.
  as_written: '{text:text}',
} as const

export type FindingCode = keyof typeof FINDINGS
type FindingParams = { [C in FindingCode]: ParamsIn<(typeof FINDINGS)[C]> }

export type Finding = {
  [C in FindingCode]: { code: C; params: FindingParams[C]; message: string }
}[FindingCode]

export function finding<C extends FindingCode>(code: C, ...[params]: Given<FindingParams[C]>): Finding {
  return { code, params: params ?? {}, message: fill(FINDINGS[code], params ?? {}) } as Finding
}

/** A finding made from its stored code and values. */
export function storedFinding(code: FindingCode, params: object): Finding {
  return { code, params, message: fill(FINDINGS[code], params) } as Finding
}

/** One finding for each stored reason. A version without findings stored only sentences; those become `as_written`. */
export function storedFindings(reasons: string[], findings: Finding[]): Finding[] {
  return reasons.map((text, index) => {
    const found = findings[index]
    return found?.message === text ? found : finding('as_written', { text })
  })
}

/** A city that our tables do not know; `suggestion`: a similar one that they do. */
export function unknownCity({ place, suggestion }: { place: string; suggestion: string | null }): Finding {
  return suggestion === null
    ? finding('city_unknown', { place })
    : finding('city_mistyped', { place, suggestion })
}
