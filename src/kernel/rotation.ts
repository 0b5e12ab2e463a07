// What banners are compared by: clicks, or what follows from them once enough of that is reported. Browser-safe, so
// that the console judges by the same figures as delivery.

export const ROTATIONS = ['even', 'weighted', 'best'] as const
export type Rotation = (typeof ROTATIONS)[number]

/** What is known of one banner. */
export interface Results {
  imps: number
  clicks: number
  actions: number
  /** In any unit, as long as it is the same for all. */
  value: number
}

export type Goal = 'clicks' | 'actions' | 'value'

/** With fewer conversions together, banners are compared by clicks. */
export const LEAST_ACTIONS = 20

/** What these banners, of one persona and one size, are compared by. */
export function goalOf(banners: readonly Pick<Results, 'actions' | 'value'>[]): Goal {
  let actions = 0
  let value = 0
  for (const one of banners) {
    actions += one.actions
    value += one.value
  }
  if (actions < LEAST_ACTIONS) return 'clicks'
  return value > 0 ? 'value' : 'actions'
}
