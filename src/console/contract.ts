// The console's own endpoints: sign in and out by session cookie, and who is signed in. For everything else the console
// uses the ordinary API with that cookie.

import { type Static, Type } from 'typebox'
import { endpoint } from '../http/endpoint.ts'
import { Body, Choice, Email, Id, Maybe, Nullable, Text, UnixTime } from '../http/schema.ts'
import { SESSION_COOKIE, WAITS } from '../identity/sessions/contract.ts'
import { APP_RIGHTS, STAFF_ROLES } from '../kernel/permissions.ts'
import { LANGUAGES, timezonePending } from '../manage/customers/contract.ts'
import { role } from '../manage/customers/members/contract.ts'

/** A page of another origin cannot set it, so a request that has it (as `1`) comes from the console itself. */
export const CSRF_HEADER = 'x-marquee-csrf'

const app = Maybe(Text(1, 100, { description: 'Name of the app; default: the default app.' }))
const email = Email({
  description: 'Email of the customer, or of a person who works for one.',
  examples: ['ann@bluebikes.example'],
})

export const SignIn = Type.Union([
  Body({
    email,
    passcode: Text(1, 100, { description: 'As emailed.' }),
    request: Text(1, 100, { description: 'The `request` from the answer to the passcode request.' }),
    app,
  }),
  Body({
    ticket: Text(1, 200, { description: 'From the single sign-on redirect.' }),
    replace: Type.Optional(Type.Boolean({ description: "True: end anyone else's session in this browser." })),
  }),
  Body({
    invitation: Text(1, 200, { description: 'From the link in the invitation.' }),
    replace: Type.Optional(Type.Boolean({ description: "True: end anyone else's session in this browser." })),
  }),
  Body({
    superkey: Text(1, 200, { description: 'Super key of the app.' }),
    supertoken: Text(1, 200, { description: 'Super token of the app.' }),
  }),
])
export type SignIn = Static<typeof SignIn>

export const Session = Body({
  level: Choice(['none', 'person', 'customer', 'app'], {
    description:
      'Who the session acts as: no one (signed out), a person who has yet to pick one of `customers`, a customer, or the staff of an app.',
  }),
  customer: Nullable(
    Body(
      {
        cuid: Id('Customer id.'),
        company: Type.String({ description: 'Name of the company.' }),
        email: Type.String({ description: 'Its email.' }),
        name: Nullable(Type.String({ description: 'Name of the contact person.' })),
        language: Nullable(Choice(LANGUAGES, { description: 'The language it has chosen.' })),
        timezone: Nullable(Type.String({ description: "Its time zone; null: the deployment's." })),
        timezonePending,
        prepaid: Type.Boolean({ description: 'Whether it pays in advance.' }),
        proposals: Type.Integer({ description: 'How many proposals wait for a decision.' }),
      },
      { description: 'The customer that the session acts as.' },
    ),
  ),
  app: Nullable(
    Body(
      {
        name: Type.String({ description: 'Name of the app.' }),
        sources: Type.Boolean({ description: 'Whether it may add, change and revoke sources.' }),
      },
      { description: 'The app, if its staff signed in.' },
    ),
  ),
  person: Nullable(
    Body(
      {
        email: Type.String({ description: 'Their email.' }),
        name: Nullable(Type.String({ description: 'Their name.' })),
        role: Nullable(role),
        staffRole: Nullable(
          Choice(STAFF_ROLES, { description: 'Of staff of the app: what they may do for it.' }),
        ),
      },
      {
        description:
          'Who signed in by email, and their `role` for the customer. Null: signed in by a link of the app, or a super pair.',
      },
    ),
  ),
  waitsFor: Nullable(
    Choice(WAITS, {
      description:
        'What the person has to do before anything else: use a `passkey` of theirs, or register a `new_passkey`, which is required here.',
    }),
  ),
  passkeys: Type.Boolean({ description: 'Whether the person can register passkeys.' }),
  customers: Type.Array(
    Body({
      cuid: Id('Customer id.'),
      company: Type.String({ description: 'Name of the company.' }),
      role,
    }),
    {
      description: 'The customers that the person works for; `POST /console/api/session/customer` picks one.',
    },
  ),
  staff: Type.Boolean({
    description:
      'Staff of the app: signed in with a super pair, or by email. With `level` customer: staff acting as this customer.',
  }),
  right: Nullable(
    Choice(APP_RIGHTS, {
      description:
        'What staff may do: `read`, `support` (also pause, and review banners), `finance` (also credit) or `all`; null: it is not of staff.',
    }),
  ),
  brand: Body(
    {
      title: Type.String({ description: 'Title of the console.' }),
      color: Nullable(Type.String({ description: '`#rrggbb`, or null for the default.' })),
      logo: Nullable(Type.String({ description: 'Path of an image, below the base URL.' })),
    },
    { description: 'How the console looks.' },
  ),
  passcodes: Type.Boolean({ description: 'Whether this app offers sign-in by email and passcode.' }),
  currency: Type.String({ description: 'Currency of the deployment.', examples: ['USD'] }),
  defaultCpm: Type.Number({
    description: 'The price of campaigns that give none, per thousand impressions.',
  }),
  timezone: Type.String({ description: 'Time zone of the deployment.', examples: ['UTC'] }),
  restorableFor: Type.Integer({
    description: 'For how many seconds what was deleted can be restored.',
    examples: [2_592_000],
  }),
  expires: Nullable(
    UnixTime({ description: 'When the session ends if it is not used; null if signed out.' }),
  ),
})
export type Session = Static<typeof Session>

export const sessionExample = {
  level: 'customer',
  customer: {
    cuid: 1001,
    company: 'Blue Bikes Ltd',
    email: 'ann@bluebikes.example',
    name: 'Ann Rider',
    language: null,
    timezone: null,
    timezonePending: null,
    prepaid: false,
    proposals: 0,
  },
  app: { name: 'default', sources: true },
  person: { email: 'ann@bluebikes.example', name: 'Ann Rider', role: 'owner', staffRole: null },
  waitsFor: null,
  passkeys: true,
  customers: [{ cuid: 1001, company: 'Blue Bikes Ltd', role: 'owner' }],
  staff: false,
  right: null,
  brand: { title: 'Marquee', color: null, logo: null },
  passcodes: true,
  currency: 'USD',
  defaultCpm: 2,
  timezone: 'UTC',
  restorableFor: 2_592_000,
  expires: 1_790_043_200,
}
const nobody = { person: null, passkeys: false, customers: [] }
const staffExample = { ...sessionExample, ...nobody, level: 'app', customer: null, staff: true, right: 'all' }
const signedOutExample = {
  ...sessionExample,
  ...nobody,
  level: 'none',
  customer: null,
  app: null,
  expires: null,
}

/** The gate lets everybody pass: each endpoint checks the cookie itself. */
export const common = { tag: 'Console', access: 'public' } as const
export const ONLY_CONSOLE = `Only from the console's own origin, with the header \`${CSRF_HEADER}: 1\`.`

export const readSession = endpoint({
  ...common,
  id: 'readSession',
  method: 'GET',
  path: '/console/api/session',
  summary: 'Who is signed in',
  description: 'Without a live session: `level` none, with the brand of the app, for the sign-in page.',
  query: { app: { schema: Text(1, 100), description: "Which app's brand to show when signed out." } },
  answer: Session,
  examples: { answer: sessionExample },
})

export const signIn = endpoint({
  ...common,
  id: 'signIn',
  method: 'POST',
  path: '/console/api/session',
  summary: 'Sign in to the console',
  description: `By email and passcode, by single sign-on ticket, by invitation, or (staff of the app) by its super pair.
Sets the cookie \`${SESSION_COOKIE}\` (\`__Host-${SESSION_COOKIE}\` on https): 12 hours after the last call, at most 7 days. A ticket or
invitation does not end a live session of anybody else (409 \`session_open\`) unless \`replace\` is true. Whoever has a
passkey has to use it before anything else (\`waitsFor\`). ${ONLY_CONSOLE}`,
  body: SignIn,
  answer: Session,
  problems: [
    'passcode_invalid',
    'ticket_invalid',
    'credentials_invalid',
    'api_access_off',
    'session_refused',
    'session_open',
    'too_many_requests',
  ],
  examples: {
    body: { email: 'ann@bluebikes.example', passcode: '123456', request: 'mqpr_0000000000000000000000' },
    answer: sessionExample,
  },
})

export const signOut = endpoint({
  ...common,
  id: 'signOut',
  method: 'DELETE',
  path: '/console/api/session',
  summary: 'Sign out of the console',
  description: `Ends the session; the answer is the same without one. ${ONLY_CONSOLE}`,
  answer: Session,
  problems: ['session_refused'],
  examples: { answer: signedOutExample },
})

export const requestPasscode = endpoint({
  ...common,
  id: 'requestPasscode',
  method: 'POST',
  path: '/console/api/passcode',
  summary: 'Request a passcode by email, to sign in with',
  description: `The answer is the same whether or not the address belongs to anybody. The code signs in together with the \`request\` of
the answer only, so that others who ask for the same address disturb nobody. The app must be provisioned for passcodes.
${ONLY_CONSOLE}`,
  body: Body({ email, app }),
  answer: Body({
    message: Type.String({ description: 'For a person.' }),
    request: Type.String({ description: 'To be sent with the passcode.' }),
  }),
  problems: ['not_provisioned', 'not_found', 'session_refused', 'too_many_requests'],
  examples: {
    body: { email: 'ann@bluebikes.example' },
    answer: {
      message: 'If ann@bluebikes.example can sign in here, a passcode is on its way to that address.',
      request: 'mqpr_0000000000000000000000',
    },
  },
})

export const openCustomer = endpoint({
  ...common,
  id: 'openCustomer',
  method: 'POST',
  path: '/console/api/session/customer',
  summary: 'Act as a customer: staff as any of the app, a person as one of theirs',
  description: `From then on the session has the rights of that customer, or of the person's role there. ${ONLY_CONSOLE}`,
  body: Body({ cuid: Id('Customer id.') }),
  answer: Session,
  problems: [
    'session_ended',
    'session_refused',
    'passkey_needed',
    'credentials_wrong_level',
    'not_found',
    'api_access_off',
  ],
  examples: { body: { cuid: 1001 }, answer: sessionExample },
})

export const closeCustomer = endpoint({
  ...common,
  id: 'closeCustomer',
  method: 'DELETE',
  path: '/console/api/session/customer',
  summary: 'Stop acting as a customer',
  description: ONLY_CONSOLE,
  answer: Session,
  problems: ['session_ended', 'session_refused', 'passkey_needed', 'credentials_wrong_level'],
  examples: { answer: staffExample },
})

const MAX_LOGO_BASE64 = 900_000

export const editBrand = endpoint({
  ...common,
  id: 'editBrand',
  method: 'PUT',
  path: '/console/api/brand',
  // Strangers are refused before it is read.
  bodyBytes: 2 ** 20,
  summary: 'Staff: brand the console of the app',
  description: `Its name, colour and logo, for its customers too. Omitted fields stay; null restores the default.
Only for staff acting as the app. ${ONLY_CONSOLE}`,
  body: Body({
    title: Maybe(
      Type.String({
        minLength: 1,
        maxLength: 60,
        pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
        description: 'Title of the console, on one line; null: Marquee.',
      }),
    ),
    color: Maybe(
      Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: '`#rrggbb`.', examples: ['#0a7d4f'] }),
    ),
    logo: Maybe(Text(1, MAX_LOGO_BASE64, { description: 'A PNG, JPEG, WebP or GIF image, in base64.' })),
  }),
  answer: Session,
  problems: ['session_ended', 'session_refused', 'passkey_needed', 'credentials_wrong_level'],
  examples: { body: { title: 'Shop Ads', color: '#0a7d4f' }, answer: staffExample },
})
