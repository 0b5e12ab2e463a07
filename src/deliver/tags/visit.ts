// Reads the body of `explain` as if a tag had sent it, because it has the same fields. What of its attributes a request
// would lose is refused: who asks should know.

import { type FieldError, fieldError } from '../../kernel/errors/field-error.ts'
import type { AttributeBook } from '../../manage/attributes/book.ts'
import { type DropReason, SAID_OF_DROPS } from '../audience/attributes.ts'
import { agentOfHeaders } from '../audience/device.ts'
import type { GeoLookups } from '../audience/lookups.ts'
import type { UserSecrets } from '../audience/user.ts'
import { type ParsedTag, parseAdBody } from './parse.ts'

export type ReadVisit = (visit: object, secrets: UserSecrets, book: AttributeBook) => ParsedTag

export function visitReader(lookups: GeoLookups): ReadVisit {
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
  return (visit, secrets, book) => {
    const errors: FieldError[] = []
    const attributes = {
      book,
      onDrop: (key: string, reason: DropReason) =>
        void errors.push(
          fieldError(`/attributes/${key}`, 'attribute_not_read', { why: SAID_OF_DROPS[reason] }),
        ),
    }
    const parsed = parseAdBody({ ...visit, source: 'explain' }, { ...context, secrets, attributes })
    return 'errors' in parsed || errors.length === 0 ? parsed : { errors }
  }
}
