// Console sessions: a random token in a cookie, stored only as a hash. They end 12 hours after the last call, after 7
// days at the latest, and with what they depend on: the customer, the app, the super pair, the seats of a person. A
// lookup is cached for at most 1 s. Seats are looked up in every call, so that a removal or a new role takes effect at
// once.

import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type AppCaller, maySee } from '../../kernel/caller.ts'
import { type Problem, refusal } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import { rightOf, scopeOf } from '../../kernel/permissions.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import type { WhoNeedsPasskeys } from '../../platform/setting-kinds.ts'
import { type Cached, type CredentialCheck, cached } from '../credentials.ts'
import type { Failures } from '../failures.ts'
import type { Identity, SessionCheck } from '../gate.ts'
import { randomText } from '../pair.ts'
import { type Staff, staffOf } from '../staff/staff.ts'
import { AS_HEADER, type WAITS } from './contract.ts'
import type { SessionCookie } from './cookie.ts'
import {
  deleteEndedSessions,
  deleteOtherSessions,
  deleteSession,
  deleteSessionOf,
  insertSession,
  type OwnSessionRow,
  type PersonOf,
  type SessionRow,
  selectSession,
  selectSessionsOf,
  updateOpened,
  updateProven,
  updateToken,
  updateUsed,
} from './queries.ts'
import { type Seat, seatsOf } from './seats.ts'

export const IDLE_MS = 12 * 3_600_000
export const LIFE_MS = 7 * 86_400_000
/** The time of use, and with it the end, is updated only after this time, so that not every call writes. */
const SLIDE_MS = 5 * 60_000
/** Nobody reads more sessions than this. */
const MOST_SHOWN = 100
/** 43 characters of base 62 hold 256 bits. */
const TOKEN_CHARACTERS = 43

export interface LiveSession {
  sessionId: number
  appId: number
  /** The customer it acts as; null: the app. */
  cuid: number | null
  /** The rights of staff who signed in by a super pair or by email. */
  staff: StaffRights | null
  /** The member of staff who signed in by email. */
  colleague: Staff | null
  /** The address of a person who signed in by email; null for a link of the app or a super pair. */
  person: string | null
  /** The seat of the person at the customer that the session acts as. */
  seat: Seat | null
  /** The seats that the person may pick from. */
  seats: Seat[]
  /** The person's email address and language. */
  mailbox: Pick<Seat, 'email' | 'language'> | null
  /** What the person has to do before anything else; until then they have no access. */
  waitsFor: (typeof WAITS)[number] | null
  expires: Date
  /** Null: a person who has not picked a customer yet. */
  identity: Identity | null
}

/** A session that acts as nobody. */
const NOTHING = {
  cuid: null,
  staff: null,
  colleague: null,
  seat: null,
  seats: [],
  waitsFor: null,
  identity: null,
} satisfies Partial<LiveSession>

export type StaffRights = Pick<AppCaller, 'right' | 'cuids'>

export type SessionOwner =
  | { appId: number; cuid: number }
  | { appId: number; superKey: string }
  | { appId: number; person: string; cuid: number | null }

/** Null: the customer that was opened last. */
export type As = number | 'app' | null

export interface Sessions extends SessionCheck {
  /** The session of a request's cookie; null if there is none or it has ended. */
  find(request: FastifyRequest, as?: As): Promise<LiveSession | null>
  findByToken(token: string): Promise<LiveSession | null>
  /** Starts a session for the browser of this request; returns its token. */
  start(db: Db, request: FastifyRequest, owner: SessionOwner): Promise<string>
  /** Ends the session of a request's cookie, if any. */
  end(db: Db, request: FastifyRequest): Promise<void>
  /** All sessions of the person of this session. */
  ofPerson(db: Db, session: LiveSession): Promise<OwnSessionRow[]>
  /** Ends one of the person's sessions; false if it is not theirs. */
  endOne(db: Db, session: LiveSession, id: number): Promise<boolean>
  /** Ends all of the person's sessions but this one; returns how many. */
  endOthers(db: Db, session: LiveSession): Promise<number>
  /** Called when the database was replaced by another one. */
  forgetAll(): void
  /**
   * Lets staff act as a customer, or (null) as the app again; lets a person pick one of their customers, or (null)
   * none.
   */
  open(db: Db, request: FastifyRequest, session: LiveSession, cuid: number | null): Promise<void>
  /**
   * Notes that the person used a passkey. A session that was waiting gets a new token, so that no process continues
   * with what it had cached about the old one. Null: the token stays.
   */
  prove(db: Db, request: FastifyRequest, session: LiveSession): Promise<string | null>
  /** Whether this person must have a passkey. */
  needsPasskey(isStaff: boolean): boolean
}

export interface SessionParts {
  db: Db
  cookie: SessionCookie
  failures: Failures
  clock: Clock
  credentials: CredentialCheck
  requirePasskey: WhoNeedsPasskeys
}

export function createSessions(parts: SessionParts): Sessions {
  const { db, cookie, failures, clock, credentials, requirePasskey } = parts
  const rows = new Map<string, Cached<SessionRow>>()
  const now = () => new Date(clock.nowMs())
  const { liveOf, needsPasskey } = createLiving({ db, clock, credentials, requirePasskey })

  /** Drops cached sessions, so that they end in this process at once. */
  function forget(isOver: (row: SessionRow) => boolean): void {
    for (const [hash, { value }] of rows) if (isOver(value)) rows.delete(hash)
  }

  async function find(request: FastifyRequest, as: As = asOf(request)): Promise<LiveSession | null> {
    const token = cookie.read(request.headers.cookie)
    if (token === null) return null
    const isKnown = rows.has(hashOf(token).toString('hex'))
    if (!isKnown) failures.begin(request.clientAddress)
    const session = await findByToken(token, as)
    if (session && !isKnown) failures.giveBack(request.clientAddress)
    return session
  }

  async function findByToken(token: string, as: As = null): Promise<LiveSession | null> {
    const hash = hashOf(token)
    const row = await cached(rows, hash.toString('hex'), clock, () => selectSession(db, hash, now()))
    return row && liveOf(row, token, as)
  }

  return {
    find,
    findByToken,
    async identify(request) {
      if (cookie.read(request.headers.cookie) === null) return null
      const as = asOf(request)
      const session = await find(request, as)
      if (!session) throw sessionEnded()
      if (session.identity) return session.identity
      refuseWaiting(session)
      throw as === null ? refusal('customer_not_picked') : sessionEnded()
    },
    async start(tx, request, owner) {
      const token = newToken()
      const nowMs = clock.nowMs()
      await insertSession(tx, {
        tokenHash: hashOf(token),
        appId: owner.appId,
        ...ownedBy(owner),
        browser: browserName(request.headers['user-agent']),
        createdAt: new Date(nowMs),
        idleUntil: new Date(nowMs + IDLE_MS),
        endsAt: new Date(nowMs + LIFE_MS),
      })
      return token
    },
    forgetAll: () => rows.clear(),
    async end(tx, request) {
      const token = cookie.read(request.headers.cookie)
      if (token === null) return
      await deleteSession(tx, hashOf(token))
      rows.delete(hashOf(token).toString('hex'))
    },
    ofPerson: (tx, session) => selectSessionsOf(tx, personOf(session), now(), MOST_SHOWN),
    async endOne(tx, session, id) {
      const isOwn = (await deleteSessionOf(tx, personOf(session), id)) > 0
      if (isOwn) forget(row => row.session_id === id)
      return isOwn
    },
    async endOthers(tx, session) {
      const { appId, person } = personOf(session)
      const ended = await deleteOtherSessions(tx, { appId, person }, session.sessionId, now())
      forget(row => row.app_id === appId && row.person === person && row.session_id !== session.sessionId)
      return ended
    },
    async open(tx, request, session, cuid) {
      await updateOpened(tx, session.sessionId, cuid)
      rows.delete(hashOf(cookie.read(request.headers.cookie)!).toString('hex'))
    },
    async prove(tx, request, { sessionId, waitsFor }) {
      rows.delete(hashOf(cookie.read(request.headers.cookie)!).toString('hex'))
      await updateProven(tx, sessionId, now())
      if (waitsFor === null) return null
      const token = newToken()
      await updateToken(tx, sessionId, hashOf(token))
      return token
    },
    needsPasskey,
  }
}

type LivingParts = Pick<SessionParts, 'db' | 'clock' | 'credentials' | 'requirePasskey'>

/** What a session may do at this moment, from all that it depends on. */
function createLiving({ db, clock, credentials, requirePasskey }: LivingParts) {
  /** Checks on every call what the session depends on; the session ends if its customer is gone. */
  async function liveOf(row: SessionRow, token: string, as: As): Promise<LiveSession | null> {
    const nowMs = clock.nowMs()
    if (row.idle_until.getTime() <= nowMs || row.ends_at.getTime() <= nowMs) return null
    if (row.person !== null) return ofPerson(row, row.person, token, as)
    const staff = row.cuid === null ? rightsOf(row) : null
    const wanted = row.cuid ?? (await openedBy(row, as))
    const access = wanted === null ? null : await credentials.accessOf(wanted)
    if (!access && !staff) return null
    await slide(row, nowMs)
    const cuid = access ? wanted : null
    const caller = callerOf(row, cuid, staff)
    const identity = { caller, apiAccess: access?.apiAccess ?? true, secret: token }
    const none = { person: null, seat: null, seats: [], colleague: null, mailbox: null, waitsFor: null }
    return { ...shown(row), ...none, cuid, staff, identity }
  }

  /**
   * The session ends when the last seat is gone. Each tab names the customer it works for, and never gets another one.
   */
  async function ofPerson(
    row: SessionRow,
    person: string,
    token: string,
    as: As,
  ): Promise<LiveSession | null> {
    const colleague = await staffOf(db, row.app_id, person)
    const seats = colleague ? [] : await seatsOf(db, row.app_id, person)
    const first = colleague ?? seats[0]
    if (!first) return null
    const mailbox = { email: first.email, language: seats[0]?.language ?? null }
    const waitsFor = waitOf(row, colleague !== null)
    if (waitsFor) return { ...shown(row), ...NOTHING, person, mailbox, waitsFor }
    if (colleague) return ofStaff(row, person, colleague, token, as)
    const wanted = as === null ? (row.opened_cuid ?? (seats.length === 1 ? seats[0]!.cuid : null)) : as
    const seat = seats.find(({ cuid }) => cuid === wanted) ?? null
    await slide(row, clock.nowMs())
    const identity = seat && { caller: callerAt(row, seat), apiAccess: seat.apiAccess, secret: token }
    const own = { person, seat, seats, mailbox, cuid: seat?.cuid ?? null, identity }
    return { ...shown(row), ...NOTHING, ...own }
  }

  /** Staff signed in by email act as the app, or as one of its customers, within the rights of their role. */
  async function ofStaff(
    row: SessionRow,
    person: string,
    colleague: Staff,
    token: string,
    as: As,
  ): Promise<LiveSession> {
    const staff = { right: rightOf(colleague.role), cuids: null }
    const wanted = await openedBy(row, as)
    const access = wanted === null ? null : await credentials.accessOf(wanted)
    await slide(row, clock.nowMs())
    const cuid = access ? wanted : null
    const caller = { ...callerOf(row, cuid, staff), key: `staff:${colleague.sid}` as const }
    const identity = { caller, apiAccess: access?.apiAccess ?? true, secret: token }
    const mailbox = { email: colleague.email, language: null }
    return { ...shown(row), ...NOTHING, person, mailbox, staff, colleague, cuid, identity }
  }

  function waitOf(row: SessionRow, isStaff: boolean): LiveSession['waitsFor'] {
    if (row.is_proven) return null
    if (row.has_passkey) return 'passkey'
    return needsPasskey(isStaff) ? 'new_passkey' : null
  }

  function needsPasskey(isStaff: boolean): boolean {
    return requirePasskey === 'all' || (requirePasskey === 'staff' && isStaff)
  }

  /** With its current end. */
  function shown(row: SessionRow): Pick<LiveSession, 'sessionId' | 'appId' | 'expires'> {
    return { sessionId: row.session_id, appId: row.app_id, expires: row.idle_until }
  }

  /** Each staff tab names the customer it works as; a customer that they cannot see is ignored. */
  async function openedBy(row: SessionRow, as: As): Promise<number | null> {
    if (as === 'app') return null
    if (as === null || !maySee(row, as)) return row.opened_cuid
    return (await credentials.accessOf(as))?.appId === row.app_id ? as : row.opened_cuid
  }

  async function slide(row: SessionRow, nowMs: number): Promise<void> {
    if (nowMs - row.used_at.getTime() < SLIDE_MS) return
    row.used_at = new Date(nowMs)
    row.idle_until = new Date(Math.min(nowMs + IDLE_MS, row.ends_at.getTime()))
    await updateUsed(db, row.session_id, row.used_at, row.idle_until)
  }

  return { liveOf, needsPasskey }
}

/** A browser's event stream cannot send our header, so its `cuid` names the customer. */
function asOf({ headers, query }: FastifyRequest): As {
  const streamed = headers.accept === 'text/event-stream'
  const said = headers[AS_HEADER] ?? (streamed ? (query as Record<string, unknown>).cuid : undefined)
  if (said === 'app') return 'app'
  return typeof said === 'string' ? parseId(said) : null
}

/** Throws 403 while the person has to use or register a passkey. */
export function refuseWaiting({ waitsFor }: LiveSession): void {
  if (waitsFor === 'passkey') throw refusal('passkey_needed')
  if (waitsFor === 'new_passkey') throw refusal('passkey_missing')
}

function personOf({ appId, person }: LiveSession): PersonOf {
  if (person === null) throw new Error('this session belongs to nobody in particular')
  return { appId, person }
}

function newToken(): string {
  return `mqse_${randomText(TOKEN_CHARACTERS)}`
}

export function sessionEnded(): Problem {
  return refusal('session_ended')
}

export async function sweepSessions(db: Db, clock: Clock): Promise<void> {
  await deleteEndedSessions(db, new Date(clock.nowMs()))
}

function ownedBy(owner: SessionOwner) {
  const none = { cuid: null, superKey: null, person: null, openedCuid: null }
  if ('person' in owner) return { ...none, person: owner.person, openedCuid: owner.cuid }
  return 'cuid' in owner ? { ...none, cuid: owner.cuid } : { ...none, superKey: owner.superKey }
}

function callerAt(row: SessionRow, { cuid, mid, role }: Seat): Identity['caller'] {
  const key = `member:${mid}` as const
  return { level: 'customer', appId: row.app_id, cuid, key, scope: scopeOf(role), cids: null }
}

/** The key identifies the caller in limits and in the history of changes. */
function callerOf(row: SessionRow, cuid: number | null, staff: StaffRights | null): Identity['caller'] {
  const key = `${staff ? 'app-session' : 'session'}:${row.session_id}` as const
  if (cuid !== null) {
    const asCustomer = { level: 'customer', appId: row.app_id, cuid, key, scope: 'all', cids: null } as const
    return staff ? { ...asCustomer, right: staff.right } : asCustomer
  }
  return {
    level: 'app',
    appId: row.app_id,
    key,
    ...(staff ?? rightsOf(row)),
    mayPasscode: row.may_passcode,
    mayNoPasscode: row.may_nopasscode,
    maySources: row.may_sources,
  }
}

function rightsOf({ scope, cuids }: SessionRow): StaffRights {
  return { right: scope === 'read' ? 'read' : 'all', cuids }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

// The name of a browser, for a person who wants to know where they are signed in. Only this name is kept, never the
// header that it is read from.

const LONGEST_AGENT = 500

/** The first match counts: most browsers also claim to be those after them. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const
const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

/** Such as `Firefox, Windows`; null if the header does not tell. */
export function browserName(userAgent: string | undefined): string | null {
  const said = userAgent?.slice(0, LONGEST_AGENT) ?? ''
  const named = (names: readonly (readonly [string, string])[]) =>
    names.find(([mark]) => said.includes(mark))?.[1]
  return [named(BROWSERS), named(SYSTEMS)].filter(name => name !== undefined).join(', ') || null
}
