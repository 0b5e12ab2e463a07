// What statistics are shown of.

export interface Subject {
  id: number
  kind: 'customer' | 'campaign' | 'persona' | 'banner'
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

export function dimensionsOf(subject: Subject): Dimension[] {
  const all: Dimension[] = subject.kind === 'customer' ? ['campaign', ...DIMENSIONS] : [...DIMENSIONS]
  if (subject.kind === 'persona') return all.filter(dimension => dimension !== 'persona')
  if (subject.kind === 'banner')
    return all.filter(dimension => dimension !== 'persona' && dimension !== 'banner')
  return all
}
