// A security key in software: a browser's answers when it registers a passkey and when it uses one (ES256, attestation
// "none"). Every part can be falsified.

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export interface Challenge {
  challenge: string
  host: string
}

interface Wrong {
  origin?: string
  host?: string
  challenge?: string
  counter?: number
}

export interface Authenticator {
  id: string
  register(asked: Challenge, wrong?: Wrong): { id: string; clientData: string; attestation: string }
  prove(
    asked: Challenge,
    wrong?: Wrong,
  ): { id: string; clientData: string; authenticatorData: string; signature: string }
}

const PRESENT_AND_VERIFIED = 0x05
const HAS_KEY = 0x40

export function newAuthenticator(origin: string): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const credentialId = randomBytes(16)
  const id = credentialId.toString('base64url')
  let counter = 0

  const clientDataOf = (type: string, { challenge }: Challenge, wrong: Wrong) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: wrong.challenge ?? challenge,
        origin: wrong.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const headOf = ({ host }: Challenge, flags: number, wrong: Wrong) => {
    counter += 1
    const count = Buffer.alloc(4)
    count.writeUInt32BE(wrong.counter ?? counter)
    return Buffer.concat([sha256(wrong.host ?? host), Buffer.from([flags]), count])
  }

  return {
    id,
    register(asked, wrong = {}) {
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x!, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y!, 'base64url'),
      ])
      const data = Buffer.concat([
        headOf(asked, PRESENT_AND_VERIFIED | HAS_KEY, wrong),
        Buffer.alloc(16),
        Buffer.from([0, credentialId.length]),
        credentialId,
        key,
      ])
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
        Buffer.from([data.length]),
        data,
      ])
      const clientData = clientDataOf('webauthn.create', asked, wrong)
      return { id, clientData: text(clientData), attestation: text(attestation) }
    },
    prove(asked, wrong = {}) {
      const clientData = clientDataOf('webauthn.get', asked, wrong)
      const data = headOf(asked, PRESENT_AND_VERIFIED, wrong)
      const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), privateKey)
      return {
        id,
        clientData: text(clientData),
        authenticatorData: text(data),
        signature: text(signature),
      }
    },
  }
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

function text(bytes: Buffer): string {
  return bytes.toString('base64url')
}
