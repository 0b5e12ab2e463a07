// The bulk endpoint and its verb.

import { Answer, type Api } from '../../http/api.ts'
import { runBulk } from './bulk.ts'
import * as contract from './contract.ts'

/** Call this after all endpoints that bulk can run are bound. */
export function bulkRoutes(api: Api): void {
  const endpoints = new Map(api.endpoints.map(endpoint => [endpoint.id, endpoint]))
  for (const op of contract.BULK_OPERATIONS) {
    if (!endpoints.has(op)) throw new Error(`${op} is not bound`)
  }
  api.bind(contract.bulk, {
    handle: async call => {
      const perform = (operation: contract.BulkOperation, params: Record<string, string>) =>
        api.perform(operation.op, call, {
          params,
          body: operation.body,
          ifMatch: operation.ifMatch ?? null,
        })
      const dryRun = call.query.dryRun === true
      const answer = await runBulk(call.db, call.cuid, call.body, dryRun, { endpoints, perform })
      return new Answer(answer, {}, { undo: !answer.applied })
    },
  })
}
