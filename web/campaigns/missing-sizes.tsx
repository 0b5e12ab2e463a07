// Sizes that requests of the last day asked for but no banner has: what another banner would add.

import type { Reach } from '../../src/diagnose/reach/contract.ts'
import { integer } from '../format/format.ts'
import { t } from '../words/words.ts'

/** A smaller part of all requests is not worth a picture. */
const MATTERS = 0.02
const MOST = 2

/** The sizes that would add the most, best first. */
export function missingIn({ sizes, requests }: Reach): Reach['sizes'] {
  return sizes
    .filter(({ more }) => more > 0 && more >= requests * MATTERS)
    .sort((a, b) => b.more - a.more)
    .slice(0, MOST)
}

export function MissingSize({ size, requests }: Reach['sizes'][number]) {
  return t('reach.missing', { size: size.replace('x', ' × '), count: requests, requests: integer(requests) })
}
