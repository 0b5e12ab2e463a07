// The OpenAPI documents of the service: the whole interface, and the part of it to start with.

import type { Api } from '../http/api.ts'
import { openApiDocument } from '../http/openapi.ts'
import { SENT_EVENTS } from '../notify/webhooks/contract.ts'
import { CORE } from './docs/core.ts'
import type { Document } from './docs/reference.ts'
import { OBJECTS } from './objects.ts'

export function documentOf({ endpoints, publicUrl }: Api): Document {
  return openApiDocument({ endpoints, sent: SENT_EVENTS, objects: OBJECTS, publicUrl }) as unknown as Document
}

export function coreDocumentOf({ endpoints, publicUrl }: Api): object {
  const core = endpoints.filter(({ id }) => CORE.includes(id))
  return openApiDocument({ endpoints: core, sent: [], objects: OBJECTS, publicUrl })
}
