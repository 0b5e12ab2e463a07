// A page's bid request with the facts of its connection: whatever the page could make up about who and where the
// visitor is gets ignored. What the page says about itself, its places and consent is kept. A test request, which is
// never billed, may say where it is: the address of a developer's own machine has no place.

import type { IncomingHttpHeaders } from 'node:http'
import { agentOfHeaders } from '../audience/device.ts'
import { doesNotWantTracking } from '../decide/visitor.ts'
import { type Fields, fieldsOf, isSet, listOf } from './read.ts'

/** Each place reserves money for a minute. */
const MOST_PLACES = 20

export function asVisitor(json: unknown, address: string, headers: IncomingHttpHeaders): unknown {
  const fields = fieldsOf(json)
  if (!fields) return json
  const { app: _, ...page } = fields
  return {
    ...page,
    imp: listOf(fields.imp)?.slice(0, MOST_PLACES),
    device: {
      ...deviceOf(fieldsOf(fields.device), address, headers),
      ...(isSet(fields.test) ? { geo: fieldsOf(fields.device)?.geo } : {}),
    },
    user: userOf(fieldsOf(fields.user)),
  }
}

function deviceOf(said: Fields | null, address: string, headers: IncomingHttpHeaders): Fields {
  const { ua, hintMobile, hintPlatform } = agentOfHeaders(headers)
  const dnt = doesNotWantTracking(headers) || isSet(said?.dnt) || isSet(said?.lmt)
  return {
    ua,
    ip: address,
    dnt: dnt ? 1 : 0,
    sua: {
      ...(hintMobile === null ? {} : { mobile: hintMobile ? 1 : 0 }),
      ...(hintPlatform === null ? {} : { platform: { brand: hintPlatform } }),
    },
  }
}

/** Gender and year of birth are hints that anyone may give, as with a tag. */
function userOf(user: Fields | null): Fields | undefined {
  if (!user) return undefined
  const { gender, yob, consent } = user
  return { gender, yob, consent, ext: { consent: fieldsOf(user.ext)?.consent } }
}
