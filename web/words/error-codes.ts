// The word of the catalogue for each code of the API. A code without a word does not compile;
// web/words/error-codes.test.ts checks that the {names} in a word are values of its code.

import type { ErrorReason, FieldErrorCode } from '../../sdk/client.ts'
import type { en } from './en.ts'

type Word = keyof typeof en

/** Not caused by what a person typed: the page and the service do not match. */
const MISUNDERSTOOD: Word = 'code.malformed_request'

export const FIELD_WORDS: Record<FieldErrorCode, Word> = {
  // Presence.
  required: 'error.required',
  required_with: 'error.required',
  passcode_missing: 'error.required',
  required_for: MISUNDERSTOOD,
  missing: 'error.required',
  repeated: MISUNDERSTOOD,
  unknown_field: 'error.notHere',
  key_not_allowed: 'error.notHere',
  unknown_parameter: MISUNDERSTOOD,
  read_only: 'error.notHere',
  not_used_by: MISUNDERSTOOD,
  not_honoured_by: MISUNDERSTOOD,
  given_together: 'error.together',
  not_together: MISUNDERSTOOD,
  for_sites_only: 'error.notHere',
  for_exchanges_only: 'error.notHere',
  alias_differs: 'error.notHere',

  // Types and options.
  wrong_type: 'error.type',
  not_an_option: 'error.choice',
  not_an_option_for: 'error.choice',

  // Text.
  empty: 'error.required',
  too_short: 'error.tooShort',
  too_long: 'error.tooLong',
  broken_unicode: 'error.characters',
  nul_character: 'error.characters',
  control_characters: 'error.characters',
  wrong_format: 'error.form',
  not_an_email: 'error.email',
  not_a_time_zone: 'error.timeZone',
  not_a_domain: 'error.domain',
  not_an_address: 'error.form',
  not_an_etag: MISUNDERSTOOD,
  not_an_idempotency_key: MISUNDERSTOOD,
  not_a_customer_id: MISUNDERSTOOD,

  // Addresses of pages.
  not_a_url: 'error.url',
  not_https: 'error.url',
  url_with_password: 'error.urlPassword',
  private_address: 'error.privateAddress',
  not_a_click_parameter: 'error.clickParameter',
  unknown_macro: 'error.unknownMacro',
  click_id_is_added: 'error.clickIdIsAdded',
  repeated_click_parameter: 'error.repeatedParameter',

  // Numbers and amounts.
  too_small: 'error.between',
  too_large: 'error.between',
  not_an_integer: 'error.whole',
  too_many_decimals: 'error.decimals',
  zero_amount: 'error.zero',
  cpc_missing: 'error.cpcMissing',
  cpc_not_used: 'error.cpcNotUsed',
  not_between: 'error.between',

  // Lists and objects.
  too_few_entries: 'error.chooseOne',
  too_many_entries: 'error.entries',
  duplicate_entry: MISUNDERSTOOD,
  wrong_number_of_entries: MISUNDERSTOOD,
  too_many_keys: 'error.entries',

  // Times and periods.
  not_a_time: 'error.date',
  not_a_day: 'error.day',
  not_a_month: 'error.day',
  milliseconds: 'error.date',
  not_after_start: 'error.afterStart',
  not_before_end: 'error.beforeEnd',
  start_after_end: 'error.period',
  previous_after_start: 'error.period',
  not_in_the_future: 'error.future',
  outside_campaign: 'error.inside',
  no_hours: 'error.noHours',
  not_a_day_start: 'error.period',
  too_many_buckets: 'error.periodTooLong',
  too_many_rows: 'error.periodTooLong',
  customers_only: MISUNDERSTOOD,

  // Ids.
  not_the_path_id: MISUNDERSTOOD,
  contradicts_query: MISUNDERSTOOD,
  no_such_campaign: MISUNDERSTOOD,
  no_such_member: 'views.noSuchMember',
  several_banners: 'code.ambiguous_banner',
  no_banner: 'code.not_found',

  // Categories.
  not_a_site_entry: 'error.siteEntry',
  list_in_list: 'error.listInList',
  unknown_site_list: 'error.unknownList',
  unknown_source: 'error.unknownSource',
  unknown_category: 'error.category',
  mistyped_category: 'error.category',

  // Whom to reach.
  nothing_chosen: 'error.chooseOne',
  nothing_chosen_of_all: 'error.chooseOne',
  geo_missing: 'error.place',
  geo_in_both_forms: 'error.place',
  geocode_missing: 'error.required',
  radius_missing: 'error.required',
  not_a_latitude: 'error.latitude',
  latitude_and_longitude_swapped: 'error.swapped',
  not_a_longitude: 'error.longitude',
  place_empty: 'error.place',
  place_country_name: 'error.unknownPlace',
  place_country_unknown: 'error.unknownPlace',
  place_country_mistyped: 'error.mistypedPlace',
  place_country_undivided: 'error.unknownPlace',
  place_region_empty: 'error.unknownPlace',
  place_region_unknown: 'error.unknownPlace',
  place_region_unknown_of_many: 'error.unknownPlace',
  place_region_mistyped: 'error.mistypedPlace',
  place_city_empty: 'error.unknownPlace',
  place_city_too_long: 'error.unknownPlace',
  place_city_control_character: 'error.unknownPlace',
  place_city_without_letters: 'error.unknownPlace',

  // Attributes of the app.
  attribute_unknown: 'error.attribute',
  attribute_not_read: 'error.attribute',
  attribute_of_app: 'error.attributeOfApp',
  attribute_value_unknown: 'error.attributeValue',
  attribute_key_reserved: 'error.reservedKey',
  attribute_kind_fixed: 'error.attributeKind',
  not_used_by_kind: 'error.notHere',
  looks_personal: 'error.personal',
  restricts_nothing: 'error.chooseOne',
  min_above_max: 'error.minAboveMax',
  too_many_values: 'error.entries',

  // Banners.
  unknown_upload: 'error.noUpload',
  not_an_image_address: 'error.image',
  size_not_allowed: 'error.size',

  // Ad requests of tags, which the console can try out.
  site_key_missing: 'error.required',
  server_key_needed: 'error.notHere',
  size_missing: 'error.required',
  not_a_size: 'error.form',
  not_a_country: 'error.choice',
  not_a_region: 'error.choice',
  not_ready: 'code.unavailable',

  // The file of an image.
  image_empty: 'why.empty',
  image_kind: 'why.kind',
  image_cut_short: 'why.damaged',
  image_damaged: 'why.damaged',
  image_undecodable: 'why.damaged',
  image_contradictory: 'why.damaged',
  image_unreadable: 'why.damaged',
  image_too_heavy: 'why.heavy',
  image_trailing_data: 'why.damaged',
  image_too_many_parts: 'why.heavy',
  image_too_many_pixels: 'why.pixels',
  image_turned: 'why.turned',

  // Its size.
  image_not_as_declared: 'why.declared',
  image_width_not_as_declared: 'why.declaredOther',
  image_height_not_as_declared: 'why.declaredOther',
  image_size_not_allowed: 'why.size',
  image_too_large: 'why.weight',

  // Its animation.
  animation_too_many_pixels: 'why.pixels',
  animation_too_many_frames: 'why.frames',
  animation_endless: 'why.endless',
  animation_play_too_long: 'why.long',
  animation_too_long: 'why.long',
  animation_plays_too_long: 'why.long',
  animation_too_fast: 'why.fast',

  // Where a click leads.
  click_url_missing: 'why.noClick',
  click_url_invalid: 'why.badClick',
  website_invalid: 'why.badClick',

  // Looking at the page where a click leads.
  landing_unreachable: 'why.landingUnreachable',
  landing_timeout: 'why.landingTimeout',
  landing_status: 'why.landingStatus',
  landing_redirects: 'why.landingRedirects',
  landing_not_https: 'why.landingNotHttps',
  landing_loses_click: 'why.landingLosesClick',

  // Fetching the image.
  creative_unreachable: 'why.unreachable',
  creative_timeout: 'why.timeout',
  creative_url_invalid: 'why.address',
  creative_url_scheme: 'why.address',
  creative_url_with_password: 'why.address',
  creative_redirects: 'why.redirect',
  creative_status: 'why.status',
  creative_compressed: 'why.unreachable',
  creative_too_large: 'why.large',
  upload_gone: 'why.gone',
  review_postponed: 'why.retry',
  review_waits: 'why.waits',
  review_by_hand: 'why.byHand',
  rejected_by_hand: 'why.rejectedByHand',

  // Proof that a site owns its domain.
  domain_unreachable: 'sources.domainUnreachable',
  domain_status: 'sources.domainStatus',
  domain_file_unusable: 'sources.domainFile',
  domain_key_missing: 'sources.domainKey',

  // Places, and a day of a campaign.
  city_unknown: 'why.placeUnknown',
  city_mistyped: 'why.placeMeant',
  attribute_unseen: 'why.attributeUnseen',
  attribute_absent: 'why.attributeAbsent',
  attribute_gone: 'why.attributeGone',
  flight_spent: 'why.flightSpent',
  off_hours: 'why.offHours',
  off_hours_for_good: 'why.offHoursForGood',
  ads_unseen: 'why.unseen',
  too_many_unseen: 'why.heldUnseen',
  too_many_seen: 'why.seenTooOften',
  visitor_share: 'why.visitorShare',
  other_visitor: 'why.others',
  foreign_domain: 'why.foreignDomain',
  bot: 'why.bot',
  late: 'why.late',
  no_request_fits: 'why.noRequestFits',
  below_floors: 'why.belowFloors',
  mostly_blocked: 'why.mostlyBlocked',
  mostly_capped: 'why.mostlyCapped',
  mostly_outbid: 'why.mostlyOutbid',
  as_written: 'why.asWritten',
}

/** Reasons that say more than their code. All other problems use the word of their code. */
export const REASON_WORDS: { [R in ErrorReason]?: Word } = {
  flights_overlap: 'error.overlap',
  flight_left_outside: 'error.leftOutside',
  flight_follows_campaign: 'error.bornFlight',
  too_many_flights: 'error.tooManyFlights',
  too_many_notes: 'notes.tooMany',
  too_many_saved_views: 'views.tooMany',
  source_exists: 'error.sourceExists',
  attribute_in_use: 'error.attributeInUse',
  too_many_attributes: 'error.tooManyAttributes',
  webhook_off: 'error.webhookOff',
  too_many_webhooks: 'error.tooManyWebhooks',
  image_too_large: 'error.tooLargeFile',
  passkey_exists: 'passkeys.already',
  last_passkey: 'passkeys.last',
  passkeys_impossible: 'passkeys.impossible',
  object_not_deleted: 'error.notDeleted',
  parent_deleted: 'error.deletedAbove',
  quota_exceeded: 'error.quota',
  too_many_requests: 'error.tryLater',
  too_many_failures: 'error.tryLater',
  too_many_passcodes: 'error.tryLater',
  agent_request_invalid: 'agents.wrongAbout',
  agent_changed: 'agents.changed',
  agents_of_people: 'agents.ofPeople',
  agent_scope_too_high: 'agents.tooMuch',
  logo_too_large: 'error.logoLarge',
  logo_not_an_image: 'error.logoKind',
  logo_too_heavy: 'why.heavy',
  logo_unreadable: 'error.logoKind',
}
