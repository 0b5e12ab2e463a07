// The hash that identifies the name of an action in the database.

import { hash48 } from '../tracking/places.ts'

export function actionHashOf(name: string): number {
  return hash48(`action ${name}`)
}
