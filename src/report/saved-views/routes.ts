// Endpoints of saved views, each bound to its verb.

import type { Api } from '../../http/api.ts'
import { bindVerbs } from '../../manage/noun.ts'
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

export function savedViewRoutes(api: Api, parts: SavedViewParts): void {
  api.bindList(contract.listSavedViews, {
    idOf: (view: SavedView) => view.vid,
    page: call => listSavedViews(call.db, call),
  })
  const endpoints = {
    create: contract.createSavedView,
    read: contract.readSavedView,
    edit: contract.editSavedView,
    remove: contract.deleteSavedView,
  }
  bindVerbs(api, parts, endpoints, {
    find: findSavedView,
    show: (_db, _call, found: FoundSavedView) => found,
    answer: ({ view, etag }) => ({ body: view, etag }),
    create: createSavedView,
    edit: editSavedView,
    remove: deleteSavedView,
  })
}
