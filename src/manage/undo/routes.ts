// The endpoint that undoes a change, and its verb.

import type { TObject } from 'typebox'
import type { Api } from '../../http/api.ts'
import * as contract from './contract.ts'
import { undoChange } from './undo.ts'

/** Call this after all endpoints of objects with a history are bound. */
export function undoRoutes(api: Api): void {
  const fieldsOf = (operation: string) => {
    const { body } = api.endpoints.find(({ id }) => id === operation)!
    return Object.keys((body as TObject).properties)
  }
  api.bind(contract.undoChange, {
    handle: call =>
      undoChange(call.db, call.caller, call.cuid, call.params.id!, {
        fieldsOf,
        perform: (operation, params, body) => api.perform(operation, call, { params, body, ifMatch: null }),
      }),
  })
}
