// Where the bid requests of a source have the attributes of apps.

import { Type } from 'typebox'
import { KEY_PATTERN, MAX_ATTRIBUTES } from '../attributes/contract.ts'

const MAX_PLACES = 10

/** `keywords` is that of site or app; `content.data.<provider>` by the name or id of a provider. */
export const PLACE_PATTERN =
  '^(keywords|user\\.keywords|(site|app|user)\\.ext\\.data\\.[\\w.-]{1,60}|content\\.data\\.[\\w.-]{1,60})$'

/** Places by the key of the attribute. */
export type SourceAttributes = Record<string, string[]>

export const SourceAttributes = Type.Unsafe<Record<string, string[]>>({
  type: 'object',
  maxProperties: MAX_ATTRIBUTES,
  propertyNames: { type: 'string', pattern: KEY_PATTERN },
  additionalProperties: Type.Array(
    Type.String({
      maxLength: 100,
      pattern: PLACE_PATTERN,
      description: 'A place in the bid request.',
      examples: ['site.ext.data.section'],
    }),
    { maxItems: MAX_PLACES },
  ),
  description:
    'Where its bid requests have [attributes](targeting.md) of apps, by key: `keywords` (of site or app, with `kwarray`), `user.keywords`, `site.ext.data.<name>`, `app.ext.data.<name>`, `user.ext.data.<name>`, `content.data.<provider>`. What is about the user needs consent. An edit replaces all of them.',
  examples: [{ section: ['site.ext.data.section'], tags: ['keywords', 'content.data.iris.example'] }],
})
