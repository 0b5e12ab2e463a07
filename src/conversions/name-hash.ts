// The hash by which the database knows the name of an action.

import { hash48 } from '../tracking/places.ts'

export function actionHashOf(name: string): number {
  return hash48(`action ${name}`)
}
