// What can be wrong with a field: a code for programs, its values, and an English sentence made from both. Everything
// that reports a wrong field uses this table. The console has its own words for each code in its languages
// (web/words/error-codes.ts), and docs/errors.md lists them all.

import { FINDINGS } from './finding.ts'
import { fill, type Given, type ParamsIn } from './sentence.ts'

export const FIELD_ERRORS = {
  // Presence of the field.
  required: 'is required',
  required_with: 'is required with {field:text}',
  passcode_missing: 'is required with an e-mail',
  required_for: 'is required for {operation:text}',
  missing: 'is missing; must be {expected:types}',
  repeated: 'must be given only once',
  unknown_field: 'is not a field here; allowed: {allowed:list}',
  unknown_parameter: 'is not a parameter here; allowed: {allowed:list}',
  key_not_allowed: 'must not be used as a key',
  read_only: 'is read-only: leave it out, or send its current value, {current:json}',
  not_used_by: 'is not used by {operation:text}',
  not_honoured_by: 'is not honoured by {operation:text}',
  given_together: 'must be given together with {field:text}',
  not_together: 'must not be given together with {field:text}',
  for_sites_only: 'is for sites only; leave it out',
  for_exchanges_only: 'is for exchanges only; leave it out',
  alias_differs: 'is another name for {field:text}: give one of them, or both with the same value',

  // Type of the value.
  wrong_type: 'must be {expected:types}, not {found:type}',
  not_an_option: 'must be {allowed:options}',
  not_an_option_for: 'must be one of {allowed:list} for a {subject:text}',

  // Text.
  empty: 'must not be empty',
  too_short: 'must have at least {min:number} characters, has {length:number}',
  too_long: 'must have at most {max:number} characters, has {length:number}',
  broken_unicode: 'must be well-formed Unicode text (it has half of a surrogate pair)',
  nul_character: 'must not contain a NUL character',
  control_characters: 'contains control characters or broken text',
  wrong_format: 'must match {pattern:text}',
  not_an_email: 'must be an e-mail address such as ann@example.com',
  not_a_time_zone: 'must be an IANA time zone such as Europe/Berlin',
  not_a_domain: 'must be a domain such as news.example',
  not_an_address: 'must be an IPv4 or IPv6 address',
  not_an_etag:
    'must be etags as they were read, in quotes, such as "1002-3", or *; {found:quoted} is not one',
  not_an_idempotency_key: 'must be 1 to {max:number} visible ASCII characters, given once',
  not_a_customer_id: 'must be one customer id, a positive integer',

  // Addresses of pages.
  not_a_url: 'must be an http or https URL such as https://example.com/',
  not_https: 'must be an https URL',
  url_with_password: 'must not contain a user name or password',
  private_address: 'must be a public address',
  not_a_click_parameter:
    '{value:quoted} is not a parameter; write name=value pairs joined by &, such as utm_source=news&utm_campaign={example:text}',
  unknown_macro: '{value:quoted} is not a macro; allowed: {allowed:list}',
  click_id_is_added: 'must not have mqclid, which each click gets by itself',
  repeated_click_parameter: '{value:quoted} is in it twice',

  // Numbers and amounts.
  too_small: 'must be {expected:type} from {min:number} to {max:number}',
  too_large: 'must be {expected:type} from {min:number} to {max:number}',
  not_an_integer: 'must be an integer',
  too_many_decimals: 'must have at most {max:number} decimals',
  zero_amount: 'must not be 0',
  cpc_missing: 'is required with pricing cpc: the price of a click',
  cpc_not_used: 'is used with pricing cpc only; leave it out, or send null',

  // Lists and objects.
  too_few_entries: 'must have from {min:number} to {max:number} entries, has {count:number}',
  too_many_entries: 'must have from {min:number} to {max:number} entries, has {count:number}',
  duplicate_entry: '{value:number} is in the list already',
  wrong_number_of_entries: 'must have {expected:number} entries, has {count:number}',
  too_many_keys: 'must have at most {max:number} keys, has {count:number}',

  // Times and periods.
  not_a_time: 'must be a Unix time in seconds (an integer)',
  milliseconds: 'must be a Unix time in seconds; {value:number} looks like milliseconds',
  not_a_day: 'must be a day such as 2026-11-10',
  not_a_month: 'must be a month such as 2026-11',
  not_after_start: 'must be after start, which is {start:time}',
  not_before_end: 'must be before end, which is {end:time}',
  start_after_end: 'must not be after end',
  previous_after_start: 'must not be after start, which must be given too',
  not_in_the_future: 'must be in the future: the clock of this service says {now:time}',
  outside_campaign: "must be within the campaign's dates, {start:time} to {end:time}",
  no_hours: 'must have at least one hour; null means always',
  not_a_day_start: 'must be the first second of a day in the time zone of the customer',
  too_many_buckets: 'gives more than {max:number} buckets between start and end: choose a longer one',
  too_many_rows: 'gives more than {max:number} rows: ask for a shorter period or fewer groups',
  customers_only: 'is for a customer only: ask for the figures of its cuid',

  // Ids.
  not_the_path_id: 'must be the one in the path, {expected:quoted}, or left out',
  contradicts_query: 'is {value:number}, but the query parameter {field:text} is {inQuery:number}',
  no_such_campaign: '{cid:number} is not a campaign of this customer',
  no_such_member: '{mid:number} does not work for this customer',
  several_banners: 'the persona has several banners: name one by bid, in the body or the query',
  no_banner: 'the persona has no banner yet: create one with POST at this path',

  // Categories.
  unknown_category:
    '{value:quoted} is not a code of IAB Content Taxonomy 1.0; write IAB# or IAB#-#, such as IAB17 or IAB17-3',
  mistyped_category:
    '{value:quoted} is not a code of IAB Content Taxonomy 1.0; did you mean {suggestions:choice}?',

  // Where to show ads.
  not_a_site_entry:
    '{value:quoted} must be a domain such as news.example, or app:<bundle>, source:<id> or list:<key>',
  list_in_list: 'a list cannot have other lists in it',
  unknown_site_list: 'this app has no site list {value:quoted}',
  unknown_source: 'there is no source {value:number}',

  // Whom to reach.
  nothing_chosen: 'must have at least one of {options:list} as true',
  nothing_chosen_of_all: 'must have at least one of {options:list} as true; null means all',
  geo_missing: 'must have either geos (places such as CA-ON-Toronto), or radius (metres) with geocode',
  geo_in_both_forms: 'must have one form only: either geos, or radius with geocode',
  geocode_missing: 'is required with radius: [latitude, longitude]',
  radius_missing: 'is required with geocode: metres, an integer',
  not_a_latitude: 'must be a latitude from -90 to 90, is {value:number}',
  latitude_and_longitude_swapped:
    'must be a latitude from -90 to 90, is {value:number}; the order is [latitude, longitude]',
  not_a_longitude: 'must be a longitude from -180 to 180, is {value:number}',
  place_empty: 'a place is empty; write a country code like CA',
  place_country_name: '{entry:quoted}: write the two-letter country code {code:text} ({name:text})',
  place_country_unknown:
    '{entry:quoted}: {country:quoted} is not an ISO 3166-1 country code; write two letters, like CA or DE',
  place_country_mistyped:
    '{entry:quoted}: {country:quoted} is not an ISO 3166-1 country code; did you mean {suggestion:text}?',
  place_country_undivided:
    '{entry:quoted}: {country:text} ({name:text}) has no states or provinces in ISO 3166-2; write {country:text} for the whole country',
  place_region_empty:
    '{entry:quoted}: the state/province is empty; write {country:text} for the whole country',
  place_region_unknown:
    '{entry:quoted}: {country:text} ({name:text}) has no state/province {region:text}; it has {known:list}',
  place_region_unknown_of_many:
    '{entry:quoted}: {country:text} ({name:text}) has no state/province {region:text}; examples are {examples:list}',
  place_region_mistyped:
    '{entry:quoted}: {country:text} ({name:text}) has no state/province {region:text}; did you mean {suggestion:text}?',
  place_city_empty:
    '{entry:quoted}: the city after the second hyphen is empty; leave the hyphen out for the whole state',
  place_city_too_long: '{entry:quoted}: a city has at most {max:number} characters',
  place_city_control_character: '{entry:quoted}: the city contains a control character',
  place_city_without_letters: '{entry:quoted}: the city contains no letter or digit',

  // Attributes of the application.
  attribute_unknown: '{key:quoted} is not an attribute that the app has declared; declared are {known:list}',
  attribute_not_read: 'would be dropped from an ad request: {why:text}',
  attribute_of_app: '{key:quoted} may be targeted only by the app itself, with a super pair',
  attribute_value_unknown: '{value:quoted} is not a value of {key:text}; it has {known:list}',
  attribute_key_reserved: '{key:quoted} is a word of this API; take another key',
  attribute_kind_fixed: 'cannot be changed from {kind:text}: delete the attribute, and declare it again',
  not_used_by_kind: 'is not used by an attribute of the kind {kind:text}; leave it out',
  looks_personal:
    '{value:quoted} looks like an e-mail address or a telephone number, which must not be an attribute',
  restricts_nothing: 'restricts nothing: give {options:choice}',
  min_above_max: 'must not be above max, which is {max:number}',
  too_many_values: 'must have at most {max:number} values in all, has {count:number}',

  // Banners.
  unknown_upload: 'no image of this customer was uploaded under this path',
  not_an_image_address:
    'must be an http or https URL, or the path of an uploaded image such as /creative/<hash>.png',
  size_not_allowed: '{width:number}x{height:number} is not an allowed size; allowed are {allowed:list}',

  // Requests of tags.
  site_key_missing: 'is required: the key of the site',
  server_key_needed: 'is accepted only with the server key of the site; this is its public key',
  size_missing: 'is required, as 300x250 or a list of such sizes',
  not_a_size: 'must be a size such as 300x250',
  not_between: 'must be a number from {min:number} to {max:number}',
  not_a_country: 'must be a country of ISO 3166-1 alpha-2, such as CA',
  not_a_region: 'is not a state or province of {country:text} in ISO 3166-2',

  // A part of the service that is not ready, for /readyz; `path` is the name of the part.
  not_ready: '{state:text}',

  // Findings about an image, a place or a campaign.
  ...FINDINGS,
} as const

export type FieldErrorCode = keyof typeof FIELD_ERRORS
export type FieldErrorParams = { [C in FieldErrorCode]: ParamsIn<(typeof FIELD_ERRORS)[C]> }

/** One fault of the input, with its JSON pointer. */
export type FieldError = {
  [C in FieldErrorCode]: { path: string; code: C; params: FieldErrorParams[C]; message: string }
}[FieldErrorCode]

export function fieldError<C extends FieldErrorCode>(
  path: string,
  code: C,
  ...[params]: Given<FieldErrorParams[C]>
): FieldError {
  const message = fill(FIELD_ERRORS[code], params ?? {})
  return { path, code, params: params ?? {}, message } as FieldError
}
