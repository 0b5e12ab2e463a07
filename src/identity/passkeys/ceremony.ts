// Checks what an authenticator signed: the challenge, the origin, the host and the signature. The library is loaded
// when the first passkey is used, because most processes never need it.

import type { PasskeyRow } from './queries.ts'

/** As a browser sends it; all fields are base64url. */
export interface Registration {
  id: string
  clientData: string
  attestation: string
  transports: string[]
}

export interface Proof {
  id: string
  clientData: string
  authenticatorData: string
  signature: string
}

export interface Registered {
  credentialId: Buffer
  publicKey: Buffer
  counter: number
}

/** Null: the registration does not match the challenge. */
export async function checkRegistration(
  given: Registration,
  challenge: Buffer,
  publicUrl: string,
): Promise<Registered | null> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { id, clientData: clientDataJSON, attestation: attestationObject } = given
  const response = { clientDataJSON, attestationObject }
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
      ...expected(challenge, publicUrl),
    })
    if (!registrationInfo) return null
    const { credential } = registrationInfo
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
    }
  } catch {
    return null
  }
}

/** Returns the authenticator's counter; null if the passkey did not sign this challenge. */
export async function checkProof(
  given: Proof,
  passkey: PasskeyRow,
  challenge: Buffer,
  publicUrl: string,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { id, clientData: clientDataJSON, authenticatorData, signature } = given
  const response = { clientDataJSON, authenticatorData, signature }
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
      ...expected(challenge, publicUrl),
      credential: { id, publicKey: new Uint8Array(passkey.public_key), counter: passkey.counter },
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    return null
  }
}

/** User presence is enough, because the emailed passcode was checked before. */
function expected(challenge: Buffer, publicUrl: string) {
  const { origin, hostname } = new URL(publicUrl)
  return {
    expectedChallenge: challenge.toString('base64url'),
    expectedOrigin: origin,
    expectedRPID: hostname,
    requireUserVerification: false,
  }
}
