// Endpoints of sources, each with its verb. Counting what was shown reads the events of a day, so it is done at most
// once per minute for an app, and never twice at the same time.

import { type Api, withEtag } from '../../http/api.ts'
import type { AppCaller } from '../../kernel/caller.ts'
import { fromMicros } from '../../kernel/money.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import type { Db } from '../../platform/database.ts'
import type { CreatedSource, SeenSource, SourceChange } from './contract.ts'
import * as contract from './contract.ts'
import {
  addManaged,
  checkSite,
  deleteSource,
  editSource,
  findSource,
  listSourceChanges,
  renewKey,
} from './managed.ts'
import { type ShownRow, sumShown } from './queries.ts'
import type { SiteFiles } from './site-files.ts'
import { bidUrl, listSources, type MadeSource, type Source } from './sources.ts'
import { shownTerms } from './terms.ts'

const FRESH_MS = 60_000
const MAX_APPS = 1_000

type Shown = Map<number, ShownRow>

export interface SourceParts {
  clock: Clock
  timeZone: string
  publicUrl: string
  siteFiles: SiteFiles
}

interface At {
  db: Db
  caller: unknown
  params: Record<string, string>
}

export function sourceRoutes(api: Api, parts: SourceParts): void {
  const { clock, timeZone, publicUrl, siteFiles } = parts
  const calendar = calendarOf(timeZone)
  /** By app, or by pair if that is limited to some customers. */
  const kept = new Map<string, { atMs: number; shown: Promise<Shown> }>()

  function shownToday(db: Db, { appId, cuids, key }: AppCaller): Promise<Shown> {
    const owner = cuids === null ? `app ${appId}` : key
    const nowMs = clock.nowMs()
    const known = kept.get(owner)
    if (known && nowMs - known.atMs < FRESH_MS && nowMs >= known.atMs) return known.shown
    const day = calendar.dayAt(nowMs)
    const shown = sumShown(db, appId, cuids, day.key, new Date(day.startMs)).then(
      rows => new Map(rows.map(row => [row.source_id, row])),
    )
    shown.catch(() => kept.delete(owner))
    if (kept.size >= MAX_APPS) kept.clear()
    kept.set(owner, { atMs: nowMs, shown })
    return shown
  }

  /** The gate lets in only super pairs and staff. */
  const app = (call: { caller: unknown }) => call.caller as AppCaller
  const changer = (call: { caller: unknown }) => ({ actor: app(call).key, appId: app(call).appId })
  const find = (call: At) => findSource(call.db, call.params.sourceId!)
  const seen = async (call: { caller: unknown }, source: Source) =>
    toSeen(source, (await shownToday(api.reads, app(call))).get(source.sourceId), clock.nowMs())
  const secretsOf = (source: MadeSource, isNewBidUrl: boolean): CreatedSource['secrets'] => ({
    serverKey: source.serverKey,
    bidUrl: isNewBidUrl && source.kind === 'exchange' ? bidUrl(publicUrl, source) : null,
  })

  api.bind(contract.listSources, {
    handle: async call => {
      const sources = (await listSources(call.db)).filter(source => source.revoked === null)
      const shown = await shownToday(api.reads, app(call))
      return sources.map(source => toSeen(source, shown.get(source.sourceId), clock.nowMs()))
    },
  })
  api.bind(contract.readSource, {
    find,
    handle: async call => withEtag(await seen(call, call.found.source), call.found.etag),
  })
  api.bind(contract.addSource, {
    stillThere: (call, { sourceId }) => findSource(call.db, String(sourceId)),
    handle: async call => {
      const made = await addManaged(call.db, call.body, clock, changer(call))
      const { etag } = await findSource(call.db, String(made.sourceId))
      const { nowMs } = clock
      return withEtag({ ...toSeen(made, undefined, nowMs()), secrets: secretsOf(made, true) }, etag)
    },
  })
  api.bind(contract.editSource, {
    find,
    present: call => seen(call, call.found.source),
    handle: async call => {
      const { db, found, body, ifMatch } = call
      const changed = await editSource(db, found.source.sourceId, body, ifMatch, clock, changer(call))
      return withEtag(await seen(call, changed.source), changed.etag)
    },
  })
  api.bind(contract.deleteSource, {
    find,
    handle: call => {
      const { db, found, ifMatch } = call
      return deleteSource(db, found.source.sourceId, ifMatch, clock, changer(call))
    },
  })
  api.bind(contract.renewSourceKey, {
    find,
    handle: async call => {
      const { db, found, body } = call
      const { source, oldUntil } = await renewKey(db, found.source.sourceId, body, clock, changer(call))
      const { sourceId, kind, key } = source
      const secrets = secretsOf(source, body.which !== 'serverKey')
      return { sourceId, key: kind === 'site' ? key : null, secrets, oldUntil }
    },
  })
  api.bind(contract.checkSource, {
    find,
    ownTransactions: true,
    handle: async call => {
      const { source } = call.found
      const { checked, finding } = await checkSite(call.database, source, siteFiles, clock, changer(call))
      return { sourceId: source.sourceId, checked: checked && toSeconds(checked), finding }
    },
  })
  api.bindList(contract.readSourceHistory, {
    idOf: (change: SourceChange) => change.id,
    page: call => (after, limit) => listSourceChanges(call.db, app(call), after, limit),
  })
}

function toSeen(source: Source, shown: ShownRow | undefined, nowMs: number): SeenSource {
  const { sourceId, kind, name, domain, key, billsOn, allowsCpc, attributes } = source
  const { created, serverKeyHash, checked } = source
  const ends = source.old.map(({ until }) => until.getTime()).filter(endMs => endMs > nowMs)
  return {
    ...{ sourceId, kind, name, domain },
    checked: checked && toSeconds(checked),
    key: kind === 'site' ? key : null,
    serverKey: serverKeyHash !== null,
    billsOn,
    allowsCpc,
    attributes,
    ...shownTerms(source),
    oldKeyUntil: ends.length === 0 ? null : toSeconds(new Date(Math.max(...ends))),
    created: toSeconds(created),
    today: {
      requests: shown?.requests ?? 0,
      imps: shown?.imps ?? 0,
      spend: fromMicros(shown?.spend_micros ?? 0),
    },
  }
}
