// Reads the body of `explain` as if a tag had sent it, because it has the same fields.

import { agentOfHeaders } from '../audience/device.ts'
import type { GeoLookups } from '../audience/lookups.ts'
import type { UserSecrets } from '../audience/user.ts'
import { type ParsedTag, parseAdBody } from './parse.ts'

export function visitReader(lookups: GeoLookups): (visit: object, secrets: UserSecrets) => ParsedTag {
  const context = {
    id: 'explain',
    isServer: true,
    ip: null,
    agent: agentOfHeaders({}),
    page: null,
    cookie: null,
    dayKey: 0,
    doNotTrack: false,
    lookups,
  }
  return (visit, secrets) => parseAdBody({ ...visit, source: 'explain' }, { ...context, secrets })
}
