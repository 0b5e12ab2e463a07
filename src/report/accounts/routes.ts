// Account endpoints, each to its verb.

import { Answer, type Api } from '../../http/api.ts'
import type { Caller } from '../../kernel/caller.ts'
import { findCustomer } from '../../manage/customers/customers.ts'
import type { Db } from '../../platform/database.ts'
import { csvHeaders } from '../figures/csv.ts'
import { pickMedia } from '../figures/media.ts'
import { creditCustomer, readAccount } from './accounts.ts'
import * as contract from './contract.ts'
import { csvLanguage, statementCsv } from './csv.ts'
import { type StatementParts, type StatementQuestion, statement } from './statement.ts'

export function accountRoutes(api: Api, parts: StatementParts): void {
  const find = (call: { db: Db; caller: Caller; params: Record<string, string> }) =>
    findCustomer(call.db, { ...call, ...parts }, call.params)
  api.bind(contract.readAccount, {
    find,
    handle: call => readAccount(call.db, call.found.customer.cuid, parts.currency),
  })
  api.bind(contract.creditCustomer, {
    find,
    handle: async call => {
      const { cuid } = call.found.customer
      const { isNew, ...made } = await creditCustomer(call.db, cuid, call.body, call.caller.key, parts)
      return new Answer(made, {}, { status: isNew ? 201 : 200 })
    },
  })
  api.bind(contract.readStatement, {
    find,
    handle: async call => {
      const made = await statement(call.db, call.found.customer, call.query as StatementQuestion, parts)
      const { headers } = call.request
      if (pickMedia(headers.accept, ['application/json', 'text/csv']) !== 'text/csv') {
        return new Answer(made, { vary: 'accept' })
      }
      const language = csvLanguage(headers['accept-language'])
      return new Answer(statementCsv(made, language) as never, {
        ...csvHeaders(`statement-${made.number}`),
        'content-language': language,
        vary: 'accept, accept-language',
      })
    },
  })
}
