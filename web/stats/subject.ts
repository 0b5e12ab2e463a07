// What statistics are shown of.

export interface Subject {
  id: number
  kind: 'customer' | 'campaign' | 'flight' | 'persona' | 'banner'
  cid?: number
  pid?: number
}

export const DIMENSIONS = [
  'domain',
  'app',
  'os',
  'device',
  'country',
  'banner',
  'persona',
  'action',
  'hour',
] as const
export type Dimension = (typeof DIMENSIONS)[number] | 'campaign'

/** What else is known of a whole customer, its campaigns know. */
export function dimensionsOf({ kind }: Subject): Dimension[] {
  if (kind === 'customer') return ['campaign']
  const beside = { campaign: [], flight: [], persona: ['persona'], banner: ['persona', 'banner'] }[
    kind
  ] as string[]
  return DIMENSIONS.filter(dimension => !beside.includes(dimension))
}
