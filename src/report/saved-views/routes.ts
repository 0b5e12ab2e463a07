// Endpoints of saved views, each bound to its verb.

import { type Api, withEtag } from '../../http/api.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../platform/database.ts'
import type { SavedView } from './contract.ts'
import * as contract from './contract.ts'
import {
  createSavedView,
  deleteSavedView,
  editSavedView,
  type FoundSavedView,
  findSavedView,
  listSavedViews,
  type SavedViewParts,
} from './saved-views.ts'

interface At {
  db: Db
  caller: Caller
  cuid: number
  params: Record<string, string>
}

export function savedViewRoutes(api: Api, parts: SavedViewParts): void {
  const find = (call: At) => findSavedView(call.db, call.caller, call.cuid, call.params.vid!)
  const answer = async (shown: Promise<FoundSavedView>) => {
    const { view, etag } = await shown
    return withEtag(view, etag)
  }

  api.bind(contract.createSavedView, {
    stillThere: (call, { vid }) => find({ ...call, params: { vid: String(vid) } }),
    handle: ({ db, caller, cuid, body }) => answer(createSavedView(db, caller, cuid, body, parts)),
  })
  api.bindList(contract.listSavedViews, {
    idOf: (view: SavedView) => view.vid,
    page: ({ db, caller, cuid }) => listSavedViews(db, caller, cuid),
  })
  api.bind(contract.readSavedView, {
    find,
    handle: async ({ found }) => withEtag(found.view, found.etag),
  })
  api.bind(contract.editSavedView, {
    find,
    present: async ({ found }) => found.view,
    handle: ({ db, caller, found, body, ifMatch }) =>
      answer(editSavedView(db, caller, found.view, body, ifMatch, parts)),
  })
  api.bind(contract.deleteSavedView, {
    find,
    handle: ({ db, caller, found, ifMatch }) => deleteSavedView(db, caller, found.view, ifMatch, parts),
  })
}
