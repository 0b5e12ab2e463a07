// Binds the endpoint of the bin to its verb.

import type { Api } from '../../../http/api.ts'
import type { RestoreTimes } from '../../../http/deleted.ts'
import { only } from '../../../http/list.ts'
import { listBin } from './bin.ts'
import type { DeletedObject } from './contract.ts'
import * as contract from './contract.ts'

export function binRoutes(api: Api, parts: RestoreTimes): void {
  const idOf = ({ id }: DeletedObject) => id
  api.bindList(contract.listDeleted, {
    idOf,
    page: call => {
      const page = (after: number, limit: number) => listBin(call.db, call.cuid, after, limit, parts)
      const cids = call.caller.level === 'customer' ? call.caller.cids : null
      return cids === null ? page : only(page, idOf, ({ cid }) => cids.includes(cid), call.longRead)
    },
  })
}
