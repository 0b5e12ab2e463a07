// The reasons why impressions are not counted that somebody has to act on, if they are frequent at one source.

import type { IgnoreReason } from './verdict.ts'

export const SOURCE_REFUSALS = [
  'other_visitor',
  'foreign_domain',
  'bot',
  'too_many_seen',
  'visitor_share',
  'late',
] as const satisfies readonly IgnoreReason[]
export type SourceRefusal = (typeof SOURCE_REFUSALS)[number]
