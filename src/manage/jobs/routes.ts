// The job endpoint and its verb.

import type { Api } from '../../http/api.ts'
import * as contract from './contract.ts'
import { readJob } from './jobs.ts'

export function jobRoutes(api: Api): void {
  api.bind(contract.readJob, { handle: ({ db, cuid, params }) => readJob(db, cuid, params.id!) })
}
