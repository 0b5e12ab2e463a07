// Passkeys in the browser: what it is asked, and its answers in the form of the service.

import { api } from '../api/client.ts'
import { problemSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import type { Session } from './session.ts'

const TIMEOUT_MS = 300_000
/** ES256, EdDSA, RS256. */
const ALGORITHMS = [-7, -8, -257]

/** Only on https, or on the local machine. */
export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in window && 'credentials' in navigator
}

export async function registerPasskey(name: string): Promise<Session> {
  const asked = await api.challengePasskey({ body: { purpose: 'register' } })
  const made = await navigator.credentials.create({
    publicKey: {
      challenge: bytesOf(asked.challenge),
      rp: { id: asked.host, name: asked.title },
      user: { id: bytesOf(asked.user.id), name: asked.user.name, displayName: asked.user.name },
      pubKeyCredParams: ALGORITHMS.map(alg => ({ type: 'public-key', alg })),
      excludeCredentials: asked.credentials.map(descriptor),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      attestation: 'none',
      timeout: TIMEOUT_MS,
    },
  })
  const { id, response } = made as PublicKeyCredential
  const answer = response as AuthenticatorAttestationResponse
  return api.registerPasskey({
    body: {
      name,
      id,
      clientData: textOf(answer.clientDataJSON),
      attestation: textOf(answer.attestationObject),
      // Older browsers do not tell.
      transports: answer.getTransports?.() ?? [],
    },
  })
}

export async function provePasskey(): Promise<Session> {
  const asked = await api.challengePasskey({ body: { purpose: 'prove' } })
  const used = await navigator.credentials.get({
    publicKey: {
      challenge: bytesOf(asked.challenge),
      rpId: asked.host,
      allowCredentials: asked.credentials.map(descriptor),
      userVerification: 'preferred',
      timeout: TIMEOUT_MS,
    },
  })
  const { id, response } = used as PublicKeyCredential
  const { clientDataJSON, authenticatorData, signature } = response as AuthenticatorAssertionResponse
  return api.provePasskey({
    body: {
      id,
      clientData: textOf(clientDataJSON),
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
    },
  })
}

/** The browser's own errors reveal little, on purpose. */
export function passkeySentence(error: unknown): string {
  if (!(error instanceof DOMException)) return problemSentence(error)
  return t(error.name === 'InvalidStateError' ? 'passkeys.already' : 'passkeys.cancelled')
}

function descriptor({ id, transports }: { id: string; transports: string[] }): PublicKeyCredentialDescriptor {
  return { type: 'public-key', id: bytesOf(id), transports: transports as AuthenticatorTransport[] }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), char => char.charCodeAt(0))
}

function textOf(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
