// The passkeys of the person signed in to the console: the second factor, after the emailed passcode. Bytes are in
// base64url, as browsers give them.

import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Created, Deleted, Id, Nullable, Text, UnixTime } from '../../http/schema.ts'
import { common, ONLY_CONSOLE, Session, sessionExample } from '../contract.ts'

const MOST_BYTES = 20_000
/** Of what comes in one body, which is read only for somebody with a session. */
const MOST_BODY_BYTES = 4 * MOST_BYTES
const MOST_TRANSPORTS = 10

function Bytes(max: number, description: string) {
  return Type.String({ minLength: 1, maxLength: max, pattern: '^[A-Za-z0-9_-]+$', description })
}

const credentialId = Bytes(1400, 'Its id, as the browser gives it.')
const clientData = Bytes(MOST_BYTES, '`clientDataJSON` of the answer of the browser.')
const transports = Type.Array(Text(1, 40), {
  maxItems: MOST_TRANSPORTS,
  description: 'How browsers reach it.',
  examples: [['internal']],
})

export const Passkey = Body({
  id: Id('Passkey id.'),
  name: Type.String({ description: 'The name that its owner gave it.' }),
  created: Created,
  lastUsed: Nullable(UnixTime({ description: 'When it was last used to sign in. Null: never.' })),
})

export const PasskeyChallenge = Body({
  challenge: Bytes(100, 'What has to be signed, once, within 5 minutes.'),
  host: Type.String({ description: 'The host that the passkey belongs to (`rpId`).' }),
  title: Type.String({ description: 'Title of the console (`rp.name`).' }),
  user: Body(
    {
      id: Bytes(100, 'What authenticators know the person by; tells nothing about them.'),
      name: Type.String({ description: 'Email of the person.' }),
    },
    { description: 'Whose passkey it is.' },
  ),
  credentials: Type.Array(Body({ id: credentialId, transports }), {
    description:
      'The passkeys of the person: one of them has to sign, or none of them is to be registered again.',
  }),
})

const example = { id: 1020, name: 'My laptop', created: 1_790_000_000, lastUsed: null }
const problems = ['session_ended', 'session_refused', 'passkey_needed'] as const

export const listPasskeys = endpoint({
  ...common,
  id: 'listPasskeys',
  method: 'GET',
  path: '/console/api/passkey',
  summary: 'List the passkeys of the person who is signed in',
  description: 'Oldest first.',
  answer: Type.Array(Passkey),
  problems,
  examples: { answer: [example] },
})

export const challengePasskey = endpoint({
  ...common,
  id: 'challengePasskey',
  method: 'POST',
  path: '/console/api/passkey/challenge',
  summary: 'Ask for what a passkey has to sign',
  description: `The one before of the same session is void. ${ONLY_CONSOLE}`,
  body: Body({
    purpose: Choice(['prove', 'register'], {
      description: '`prove`: to sign in with a passkey; `register`: to add one.',
    }),
  }),
  answer: PasskeyChallenge,
  problems: [...problems, 'conflict'],
  examples: {
    body: { purpose: 'register' },
    answer: {
      challenge: 'q5Y3mHk0u1xw1mJc0h8o1m8g3X0Jc2d8b7P4v5t6r8A',
      host: 'ads.example',
      title: 'Marquee',
      user: { id: 'Zk3yq0Jc2d8b7P4v5t6r8Aq5Y3mHk0u1xw1mJc0h8o0', name: 'ann@bluebikes.example' },
      credentials: [],
    },
  },
})

export const registerPasskey = endpoint({
  ...common,
  id: 'registerPasskey',
  method: 'POST',
  path: '/console/api/passkey',
  bodyBytes: MOST_BODY_BYTES,
  summary: 'Register a passkey',
  description: `From then on it is asked for after the passcode, in other sessions of the person at once. The person gets an email. ${ONLY_CONSOLE}`,
  body: Body({
    name: Text(1, 100, { description: 'For its owner.', examples: ['My laptop'] }),
    id: credentialId,
    clientData,
    attestation: Bytes(MOST_BYTES, '`attestationObject` of the answer of the browser.'),
    transports,
  }),
  answer: Session,
  problems: [...problems, 'passkey_invalid', 'conflict', 'mail_failed', 'too_many_requests'],
  examples: {
    body: { name: 'My laptop', id: 'AQID', clientData: 'e30', attestation: 'oA', transports: ['internal'] },
    answer: sessionExample,
  },
})

export const provePasskey = endpoint({
  ...common,
  id: 'provePasskey',
  method: 'POST',
  path: '/console/api/session/passkey',
  bodyBytes: MOST_BODY_BYTES,
  summary: 'Sign in with a passkey, after the passcode',
  description: `The session goes on with another cookie. ${ONLY_CONSOLE}`,
  body: Body({
    id: credentialId,
    clientData,
    authenticatorData: Bytes(MOST_BYTES, '`authenticatorData` of the answer of the browser.'),
    signature: Bytes(MOST_BYTES, '`signature` of the answer of the browser.'),
  }),
  answer: Session,
  problems: ['session_ended', 'session_refused', 'passkey_invalid', 'too_many_requests'],
  examples: {
    body: { id: 'AQID', clientData: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' },
    answer: sessionExample,
  },
})

export const removePasskey = endpoint({
  ...common,
  id: 'removePasskey',
  method: 'DELETE',
  path: '/console/api/passkey/:id',
  summary: 'Remove a passkey',
  description: `The last one stays where one is required. The person gets an email. ${ONLY_CONSOLE}`,
  answer: Body({ id: Id('Passkey id.'), deleted: Deleted }),
  problems: [...problems, 'not_found', 'conflict', 'mail_failed'],
  examples: { answer: { id: 1020, deleted: true } },
})
