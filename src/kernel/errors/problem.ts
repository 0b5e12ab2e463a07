// A Problem is an error that the caller can act on. It has a code, and each code has one HTTP status. Its sentence
// comes from the table below and is never written where it is thrown. Anything else that is thrown is a bug: it is
// answered with 500 and logged, but not shown.

import { type FieldError, type FieldErrorCode, type FieldErrorParams, fieldError } from './field-error.ts'
import { type ProblemCode, STATUS_OF } from './problem-code.ts'
import { fill, type Given, type ParamsIn } from './sentence.ts'

/**
 * Every cause of a problem: its code and its sentence with values. A cause with the same name as its code is the usual
 * one; answers give the others as `reason`.
 */
export const PROBLEMS = {
  // 400
  invalid_input: ['invalid_input', 'the input is not valid'],
  value_not_storable: ['invalid_input', 'a value cannot be stored'],
  server_key_in_page: [
    'invalid_input',
    'source: this is the secret server key of the site, which must not appear in a page; use its public key here',
  ],
  agent_request_invalid: [
    'invalid_input',
    'the program asked in a way that is not possible here: {detail:text}',
  ],
  not_a_site: ['invalid_input', 'only the domain of a site can be checked'],
  site_without_domain: ['invalid_input', 'a site needs its domain, such as news.example'],
  logo_too_large: ['invalid_input', 'the logo is larger than {maxBytes:count} bytes'],
  logo_not_an_image: ['invalid_input', 'the logo must be a PNG, JPEG, WebP or GIF image'],
  logo_too_heavy: ['invalid_input', 'the logo takes too much memory or time to be read'],
  logo_unreadable: [
    'invalid_input',
    'the logo must be a whole PNG, JPEG, WebP or GIF image of at most {maxPixels:count} pixels',
  ],
  missing_cuid: ['missing_cuid', 'query parameter cuid is required'],
  invalid_cuid: ['missing_cuid', 'query parameter cuid must be one customer id, a positive integer'],
  missing_passcode: ['missing_passcode', 'query parameter passcode is required with an e-mail'],
  ambiguous_banner: [
    'ambiguous_banner',
    'the persona has several banners: name one by bid, in the body or the query',
  ],
  no_banner: ['ambiguous_banner', 'the persona has no banner yet: create one with POST at this path'],
  malformed_request: ['malformed_request', 'the request is not well-formed'],
  not_http: ['malformed_request', 'the request is not valid HTTP'],
  headers_too_large: ['malformed_request', 'the headers are too large'],
  several_hosts: ['malformed_request', 'the request names more than one host'],
  malformed_target: ['malformed_request', 'the target must be a path, or an http or https URL'],
  too_slow: ['malformed_request', 'the request came too slowly'],
  not_json: ['malformed_request', 'the body is not valid JSON'],
  not_a_json_object: ['malformed_request', 'the body is not valid JSON; it must be an object'],
  malformed_bid_request: ['malformed_request', '{detail:text}'],
  query_too_long: ['malformed_request', 'the query is too long'],
  not_utf8: ['malformed_request', 'the body is not valid UTF-8'],
  nested_too_deeply: ['malformed_request', 'the body is nested too deeply'],
  too_many_fields_in_object: ['malformed_request', 'an object of the body has more than {max:count} fields'],
  too_many_fields: ['malformed_request', 'the body has more than {max:count} fields'],
  too_many_objects_in_body: ['malformed_request', 'the body has more than {max:count} objects'],
  too_many_values: ['malformed_request', 'the body has more than {max:count} values'],
  length_differs: ['malformed_request', 'the length of the body differs from content-length'],
  malformed_path: ['malformed_request', 'the path is not validly percent-encoded'],
  malformed_form: ['malformed_request', 'the form is not well-formed'],
  no_image: ['malformed_request', 'send the image as the body, or as the field `file` of a form'],
  invalid_etag: [
    'invalid_etag',
    'if-match: must be etags as they were read, in quotes, such as "1002-3", or *; {found:quoted} is not one',
  ],
  if_match_not_honoured: ['if_match_not_honoured', 'if-match is not honoured here; leave the header out'],
  plan_unusable: [
    'plan_unusable',
    'this is no plan of this caller, or it was changed on its way: send it exactly as it was answered',
  ],
  plan_expired: ['plan_unusable', 'the plan has expired: plan it again'],
  plan_of_another_tool: ['plan_unusable', 'this plan is for {tool:text}'],
  plan_too_large: [
    'plan_unusable',
    'the plan would have more than {max:count} characters: plan less at once, and add the rest by further plans',
  ],
  forged_token: ['forged_token', 'this link was not made here, or was changed on its way'],
  too_many_objects: [
    'too_many_objects',
    'the operations of a bulk call may create at most {max:count} objects together, a hundred copied places or 10,000 bytes counting as one, and this makes {wanted:count}; ask for it by a call of its own',
  ],
  too_many_objects_to_try: [
    'too_many_objects',
    'a dry run may create at most {max:count} objects together, a hundred copied places or 10,000 bytes counting as one, and this makes {wanted:count}; ask for it by a call of its own',
  ],

  // 401, 403
  credentials_missing: [
    'credentials_missing',
    'credentials are missing: send the headers x-access-key and x-access-token (or x-access-superkey and x-access-supertoken), or HTTP Basic',
  ],
  super_credentials_missing: [
    'credentials_missing',
    'credentials are missing: send the headers x-access-superkey and x-access-supertoken, or HTTP Basic',
  ],
  credentials_invalid: ['credentials_invalid', 'these credentials are wrong'],
  credentials_of_sandbox: [
    'credentials_invalid',
    'these credentials belong to a sandbox, and this is a real deployment: use a pair that it has issued',
  ],
  credentials_not_of_sandbox: [
    'credentials_invalid',
    'this is a sandbox, and these credentials belong to a real deployment: use a pair that the sandbox has issued',
  ],
  super_credentials_invalid: ['credentials_invalid', 'this super key and token are wrong or revoked'],
  metrics_token_needed: ['credentials_invalid', 'send the metrics token as a bearer token'],
  access_token_invalid: [
    'credentials_invalid',
    'this access token is wrong, expired or revoked: refresh it, or ask the person again',
  ],
  credentials_expired: ['credentials_expired', 'these credentials have expired: obtain new ones'],
  credentials_revoked: ['credentials_revoked', 'these credentials were revoked'],
  credentials_wrong_level: ['credentials_wrong_level', 'this needs the app-level super key and token'],
  app_only_field: [
    'credentials_wrong_level',
    '{field:text} can be changed only with the app-level super key and token',
  ],
  staff_only: ['credentials_wrong_level', 'only the staff of the app may do this'],
  not_as_customer: ['credentials_wrong_level', 'go back to the app first'],
  cuid_not_allowed: ['cuid_not_allowed', 'these credentials may not use this cuid'],
  not_provisioned: ['not_provisioned', 'this app is not provisioned for {provision:text}'],
  no_sign_in_by_passcode: ['not_provisioned', 'this app offers no sign-in by passcode'],
  api_access_off: ['api_access_off', 'API access is off for this customer'],
  passcode_invalid: ['passcode_invalid', 'the passcode is expired or invalid'],
  ticket_invalid: ['ticket_invalid', 'the ticket is unknown, used or expired'],
  invitation_invalid: ['ticket_invalid', 'the invitation is used or expired, or no longer holds'],
  customer_not_picked: ['session_refused', 'you work for several customers: pick one first'],
  session_ended: ['session_ended', 'the session has ended; sign in again'],
  session_refused: ['session_refused', 'a session can be used only from the console itself'],
  foreign_host: [
    'session_refused',
    'this is reached as {host:text}: use that address, and let a proxy in front pass the Host on',
  ],
  foreign_origin: ['session_refused', 'pages of this origin may not use this; only registered origins may'],
  csrf_header_missing: ['session_refused', 'a call with a session needs the header {header:text}: 1'],
  session_cannot: ['session_refused', 'a console session cannot do this; send a key and token'],
  passkey_invalid: [
    'passkey_invalid',
    'this passkey was not accepted; ask for another challenge and try again',
  ],
  passkey_needed: ['passkey_needed', 'sign in with your passkey first'],
  passkey_missing: ['passkey_needed', 'a passkey is required here: register one first'],
  passkeys_of_people: ['session_refused', 'passkeys are for people who sign in by email'],
  sessions_of_people: ['session_refused', 'sessions are listed for people who sign in by email'],
  agents_of_people: ['session_refused', 'only people who work for a customer can let a program act for it'],
  passkeys_impossible: [
    'conflict',
    'passkeys need an address of the service (PUBLIC_URL) with https and a host name',
  ],
  passkey_exists: ['conflict', 'this passkey is registered already'],
  too_many_passkeys: ['conflict', 'a person may have at most {max:number} passkeys'],
  last_passkey: ['conflict', 'a passkey is required here, and this is the last one: register another first'],
  passkey_mail_failed: ['mail_failed', 'the email about it could not be sent; nothing was changed'],
  frozen: ['frozen', 'customer {cuid:number} is frozen: nothing it owns can be changed until it is unfrozen'],
  scope_too_low: ['scope_too_low', 'this needs {needs:quoted}, and the pair has the scope {scope:quoted}'],
  scope_cannot_spend: [
    'scope_too_low',
    'this would let campaign {cid:number} spend more, which a pair with the scope {scope:quoted} cannot decide; nothing was stored',
  ],
  agents_decide_nothing: [
    'scope_too_low',
    'a program that acts for a person decides about no proposals: the person does, in the console',
  ],
  agent_scope_too_high: [
    'scope_too_low',
    'you may let a program do at most {most:quoted} for this customer, and {scope:quoted} is more',
  ],
  too_large_to_propose: [
    'scope_too_low',
    'an order or a copy of {wanted:count} objects is done as a job, which cannot be proposed; send it with enabled false, which costs nothing, and then propose to resume it',
  ],
  role_too_low: [
    'scope_too_low',
    'this needs {needs:quoted}, and staff with the role {role:quoted} may not do it',
  ],
  staff_exists: ['conflict', '{email:text} is staff of this app already'],
  too_many_staff: ['conflict', 'at most {max:number} people may be staff of one app'],
  some_customers_only: [
    'scope_too_low',
    'this super pair is limited to some customers and may do this only for them',
  ],
  campaign_not_allowed: [
    'campaign_not_allowed',
    'this pair is limited to some campaigns and may do this only for them',
  ],
  ceiling_exceeded: [
    'ceiling_exceeded',
    'the ceiling {ceiling:text} of this {whose:text} is {max:number}, and this would make it {asked:number}; nothing was stored',
  ],
  total_not_removable: [
    'ceiling_exceeded',
    'the ceiling {ceiling:text} of this {whose:text} is {max:number}, so a totalSpend or monthlySpend cannot be removed; nothing was stored',
  ],

  // 404, 405
  not_found: ['not_found', '{what:text} not found'],
  no_such_link: ['not_found', 'there is no such tracking link'],
  leads_nowhere: ['not_found', 'this ad no longer leads anywhere'],
  no_such_breakdown: ['not_found', 'there is no such breakdown; there are {possible:list}'],
  method_not_allowed: ['method_not_allowed', '{method:text} is not possible here; allowed: {allowed:list}'],

  // 409
  conflict: ['conflict', 'it conflicts with what is there'],
  clock_moving: [
    'conflict',
    'the clock of the sandbox is being moved; GET /sandbox/clock says how far it is',
  ],
  flights_overlap: [
    'conflict',
    'flights of a campaign must not overlap: this one overlaps with flight {fid:number} {name:quoted} ({start:time} to {end:time})',
  ],
  flight_left_outside: [
    'conflict',
    'these dates would leave flight {fid:number} {name:quoted} ({start:time} to {end:time}) outside: edit or delete it first',
  ],
  flight_follows_campaign: [
    'conflict',
    'this flight spans its campaign and follows its dates: it cannot be edited or deleted',
  ],
  undo_outdated: [
    'undo_outdated',
    'the {noun:text} {id:number} was changed again since; take its last change back first',
  ],
  undo_impossible: [
    'undo_impossible',
    'it cannot be taken back: it changed no field of the {noun:text} {id:number} that a caller can change',
  ],
  proposal_settled: ['proposal_settled', 'this proposal is {status:text}: it can no longer be decided'],
  proposal_outdated: [
    'proposal_outdated',
    'what it would change has changed since: {what:list}; propose it again',
  ],
  proposal_costs_more: [
    'proposal_outdated',
    'it would now cost at most {now:number}, but was proposed with {proposed:number}; propose it again',
  ],
  proposal_shows_other: [
    'proposal_outdated',
    'what it copies or creates has changed since: it would now do something else than it shows; propose it again',
  ],
  review_settled: ['review_settled', 'this banner has been decided, changed or removed since it was read'],
  proposal_fails: [
    'conflict',
    '{failed:count} of its operations would fail, the first with: {message:text}; it is proposed and applied as a whole',
  ],
  too_many_flights: ['conflict', 'a campaign may have at most {max:number} flights'],
  object_not_deleted: ['conflict', '{noun:text} {id:number} is not deleted'],
  parent_deleted: [
    'conflict',
    '{noun:text} {id:number} belongs to {parent:text}, which is deleted: restore that first',
  ],
  campaign_deleted: ['conflict', 'campaign {cid:number} was deleted just now'],
  agent_changed: [
    'conflict',
    'what this program says of itself has changed since you saw it: look at it again',
  ],
  webhook_off: ['conflict', 'this webhook is switched off: enable it first'],
  app_exists: ['conflict', 'an app named {name:quoted} already exists'],
  app_revoked: ['conflict', 'the app {name:quoted} is revoked'],
  super_pair_exists: ['conflict', 'the app has a super pair named {name:quoted} already'],
  source_exists: ['conflict', 'a source named {name:quoted} already exists'],
  email_taken: ['email_taken', 'another customer of this app has this e-mail'],
  member_exists: ['member_exists', '{email:text} works for this customer already'],
  first_owner: [
    'first_owner',
    '{email:text} is the email of the customer, and so always an owner; an app can change the email',
  ],
  last_admin: ['last_admin', '{email:text} is the last admin of this app; make somebody else one first'],
  member_joined: ['conflict', '{email:text} has signed in already and needs no invitation'],
  too_much_answered: [
    'too_many_objects',
    'the answers of a bulk call may have some {max:count} characters together; send this operation with another call',
  ],
  too_much_to_propose: [
    'too_many_objects',
    'a proposal may have some {max:count} characters, before and after the change together; propose less with one call',
  ],
  too_many_webhooks: ['conflict', 'an app may have at most {max:number} webhooks'],
  too_many_super_pairs: ['conflict', 'an app may have at most {max:number} super pairs'],
  too_many_sources: ['conflict', 'there may be at most {max:number} sources'],
  too_many_attributes: ['conflict', 'an app may have at most {max:number} attributes'],
  attribute_in_use: [
    'conflict',
    '{count:count} personas target this: {uses:list}; with force=true it happens all the same, and what they target matches no request any more',
  ],
  too_many_site_lists: ['conflict', 'an app may have at most {max:number} site lists'],
  site_list_in_use: [
    'conflict',
    'the site list {key:quoted} is named by customers ({customers:number}) and campaigns ({campaigns:number}): change those first',
  ],
  too_many_members: ['conflict', 'at most {max:number} people may work for one customer'],
  too_many_notes: ['conflict', 'a customer may have at most {max:number} notes; remove some first'],
  too_many_saved_views: [
    'conflict',
    'a customer may have at most {max:number} saved views; remove some first',
  ],
  external_id_ambiguous: [
    'external_id_ambiguous',
    'several {noun:text}s have the externalId {externalId:quoted}: {ids:list}; it must be one',
  ],
  not_deleted: ['not_deleted', 'customer {cuid:number} is not deleted: only a deleted one can be erased'],
  quota_exceeded: [
    'quota_exceeded',
    '{whose:text} would have {wanted:count} {what:text}, and the quota is {quota:count} ({setting:text}); nothing was stored',
  ],
  upload_quota_exceeded: [
    'quota_exceeded',
    'the uploads of this customer may have {megabytes:count} MB in total ({setting:text}); those that no banner uses are removed after a while',
  ],
  not_prepaid: [
    'not_prepaid',
    'customer {cuid:number} does not pay in advance: set prepaid first, which begins its account',
  ],
  reference_taken: [
    'reference_taken',
    'the reference {reference:quoted} was used for an amount of {amount:number}; use another one',
  ],
  balance_too_low: [
    'balance_too_low',
    'the balance can be lowered by at most {most:number} now: the rest is spent or promised; nothing was stored',
  ],
  session_open: [
    'session_open',
    'this browser is signed in as somebody else; send replace: true to end that session',
  ],
  idempotency_conflict: ['idempotency_conflict', 'this idempotency-key was used with another request'],
  idempotent_customer_erased: [
    'idempotency_conflict',
    'the customer that this idempotency-key was used for was erased',
  ],
  idempotent_object_gone: [
    'idempotent_object_gone',
    'what this idempotency-key created has since been deleted; use another key to create it again',
  ],

  // 412, 413, 415
  precondition_failed: ['precondition_failed', 'it has changed since: its etag is {etag:text} now'],
  nothing_to_match: ['precondition_failed', 'it is not there yet, so it has no etag to match'],
  body_too_large: ['body_too_large', 'the body is larger than is allowed here: at most {maxBytes:bytes}'],
  image_too_large: ['body_too_large', 'the image is larger than {maxBytes:number} bytes'],
  too_many_parts: ['body_too_large', 'the form has more parts than are allowed here'],
  unsupported_media_type: ['unsupported_media_type', 'the content type must be {allowed:choice}'],
  charset: ['unsupported_media_type', 'the body must be UTF-8; leave the charset out, or send charset=utf-8'],
  content_encoding: ['unsupported_media_type', 'send the body as it is, without a content-encoding'],

  // 429, 499
  too_many_requests: ['too_many_requests', 'too many requests; try again in {seconds:number} s'],
  too_many_failures: [
    'too_many_requests',
    'too many wrong credentials or failed sign-ins; try again in {seconds:number} s',
  ],
  too_many_passcodes: ['too_many_requests', 'too many passcode requests; try again in {seconds:number} s'],
  too_many_passcode_mails: [
    'too_many_requests',
    'at most {max:number} passcodes per hour are sent to one address',
  ],
  too_many_invitations: ['too_many_requests', 'at most {max:number} invitations per hour; try again later'],
  too_many_jobs: ['too_many_requests', 'this customer has {max:number} jobs that have not ended; try again'],
  too_many_proposals: [
    'too_many_requests',
    'this customer has {max:number} proposals that nobody has decided; decide some of them first',
  ],
  too_many_images: [
    'too_many_requests',
    'too many images of this customer are waiting to be checked; try again',
  ],
  too_many_at_once: ['too_many_at_once', 'too many {what:text} at once'],
  too_many_at_once_of_app: ['too_many_at_once', 'at most {max:number} {what:text} of one app at once'],
  too_many_at_once_of_customer: ['too_many_at_once', 'at most {max:number} {what:text} at once'],
  made_room: [
    'too_many_at_once',
    'this was the slowest of many uploads, and ended to make room for those of others; try again',
  ],
  too_many_calls: [
    'too_many_at_once',
    'too many calls are waiting: at most {perCustomer:number} of one customer run at once, and {perApp:number} of one app; try again',
  ],
  waited_too_long: [
    'too_many_at_once',
    'the call waited for {seconds:number} s: at most {perCustomer:number} of one customer run at once, and {perApp:number} of one app; try again',
  ],
  caller_gone: ['caller_gone', 'the caller left before the answer'],

  // 5xx
  mail_failed: ['mail_failed', 'the passcode could not be e-mailed'],
  invitation_failed: ['mail_failed', 'the invitation could not be e-mailed; nothing was stored'],
  internal: ['internal', 'something went wrong on our side'],
  job_failed: ['internal', 'the job could not be done; ask for it again'],
  unavailable: ['unavailable', 'this is not possible right now; try again'],
  not_ready: ['unavailable', 'not ready: {parts:list}'],
  stopping: ['unavailable', 'the service is stopping; try again'],
  database_read_only: ['unavailable', 'the database accepts no changes right now; existing data can be read'],
  database_full: ['unavailable', 'the database has no room for more right now'],
  database_unavailable: ['unavailable', 'the database is not available right now'],
  files_unavailable: ['unavailable', 'files cannot be read or written right now'],
  images_unavailable: ['unavailable', 'images cannot be read right now; try again'],
  images_waiting: ['unavailable', 'too many images are waiting to be checked; try again'],
  action_not_written: ['unavailable', 'the action could not be written'],
  deadline_exceeded: [
    'deadline_exceeded',
    'the call took longer than {seconds:number} s: nothing of it was kept; ask for less at once',
  ],
} as const satisfies Record<string, readonly [ProblemCode, string]> & Record<ProblemCode, unknown>

export type { ProblemCode }
export type ProblemReason = keyof typeof PROBLEMS
export type ProblemParams = { [R in ProblemReason]: ParamsIn<(typeof PROBLEMS)[R][1]> }

interface More {
  /** Replaces the sentence of the table, where another table has the words. */
  message?: string
  errors?: FieldError[]
  headers?: Record<string, string>
  cause?: unknown
}

export class Problem extends Error {
  readonly code: ProblemCode
  readonly reason: ProblemReason
  readonly params: Record<string, unknown>
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string>

  /** Not type-checked; callers use `refusal`. */
  constructor(reason: ProblemReason, params: object, { message, errors, headers, cause }: More) {
    const [code, sentence] = PROBLEMS[reason]
    super(message ?? fill(sentence, params), { cause })
    this.code = code
    this.reason = reason
    this.params = params as Record<string, unknown>
    this.errors = errors
    this.headers = headers ?? {}
  }

  get status(): number {
    return STATUS_OF[this.code]
  }
}

type ProblemArguments<P> = keyof P extends never ? [params?: P, more?: More] : [params: P, more?: More]

/** The problem of this cause, with the values that its sentence needs. */
export function refusal<R extends ProblemReason>(
  reason: R,
  ...[params, more]: ProblemArguments<ProblemParams[R]>
): Problem {
  return new Problem(reason, params ?? {}, more ?? {})
}

export function notFound(what: string): Problem {
  return refusal('not_found', { what })
}

/** A 400 that names each wrong field. The message repeats the first error, so that a log line is enough to see it. */
export function invalidInput(errors: FieldError[]): Problem {
  const first = errors[0]
  if (!first) return refusal('invalid_input')
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  const message = `${first.path || 'body'}: ${first.message}${more}`
  return refusal('invalid_input', {}, { message, errors })
}

export function invalidField<C extends FieldErrorCode>(
  path: string,
  code: C,
  ...given: Given<FieldErrorParams[C]>
): Problem {
  return invalidInput([fieldError(path, code, ...given)])
}

/** The problem as every answer shows it, without the request id. */
export interface ShownProblem {
  message: string
  code: ProblemCode
  reason?: ProblemReason
  params?: Record<string, unknown>
  errors?: FieldError[]
}

export function shownProblem({ message, code, reason, params, errors }: Problem): ShownProblem {
  return {
    message,
    code,
    ...(reason === (code as string) ? {} : { reason }),
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(errors ? { errors } : {}),
  }
}
