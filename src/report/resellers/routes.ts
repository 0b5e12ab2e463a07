// The report endpoint, as JSON or CSV.

import { Answer, type Api } from '../../http/api.ts'
import { createSlots } from '../../http/slots.ts'
import type { AppCaller } from '../../kernel/caller.ts'
import { byLookup } from '../../platform/lookup-queries.ts'
import { csvHeaders } from '../figures/csv.ts'
import { pickMedia } from '../figures/media.ts'
import { zoneOfSetting } from '../figures/zone.ts'
import * as contract from './contract.ts'
import { asCsv, asJson, type ReportQuestion, report } from './reports.ts'

/** A report may hold half a million rows in memory until its reader has received them. */
export const AT_ONCE = { total: 4, perApp: 2 }

export interface ReportSettings {
  timeZone: string
  currency: string
}

export function reportRoutes(api: Api, { timeZone, currency }: ReportSettings): void {
  const parts = { zone: zoneOfSetting(timeZone), currency }
  const takeSlot = createSlots('reports', AT_ONCE)
  api.bind(contract.readReport, {
    handle: async call => {
      const caller = call.caller as AppCaller
      const free = takeSlot({ appId: caller.appId, cuid: null })
      try {
        const question = call.query as ReportQuestion
        const made = await byLookup(call.database, tx => report(tx, caller, question, parts))
        const isCsv = pickMedia(call.request.headers.accept, ['application/json', 'text/csv']) === 'text/csv'
        const headers = isCsv
          ? csvHeaders(`report-by-${made.by.replace(',', '-')}`)
          : { 'content-type': 'application/json; charset=utf-8', vary: 'accept' }
        if (call.request.method === 'HEAD') {
          free()
          return new Answer('' as never, headers)
        }
        const stream = isCsv ? asCsv(made) : asJson(made)
        stream.once('close', free)
        return new Answer(stream as never, headers)
      } catch (error) {
        free()
        throw error
      }
    },
  })
}
