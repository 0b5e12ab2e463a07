// Binds each persona endpoint to its verb.

import type { Api } from '../../http/api.ts'
import { byExternalId } from '../../http/external-id.ts'
import { HEAVY_STEP } from '../../http/list.ts'
import { type FoundCampaign, findCampaign, type RestoreParts, restoreOwn } from '../campaigns/campaigns.ts'
import { bindVerbs, filtered, pageOf } from '../noun.ts'
import type { Persona } from './contract.ts'
import * as contract from './contract.ts'
import {
  createPersona,
  deletePersona,
  editPersona,
  type FoundPersona,
  findPersona,
  listPersonas,
  setEnabled,
} from './personas.ts'
import { lockPersonasByExternalId } from './queries.ts'

export function personaRoutes(api: Api, parts: RestoreParts): void {
  const idOf = ({ pid }: Persona) => pid
  api.bindList(contract.listPersonas, {
    idOf,
    step: HEAVY_STEP,
    page: call => {
      const page = (after: number, limit: number) =>
        listPersonas(call.db, { ...parts, cuid: call.cuid }, call.params, {
          after,
          limit,
          ...pageOf(call.query, parts),
        })
      return filtered(call, page, idOf, { step: HEAVY_STEP })
    },
  })
  const endpoints = {
    read: contract.readPersona,
    edit: contract.editPersona,
    put: contract.putPersona,
    pause: contract.pausePersona,
    resume: contract.resumePersona,
    restore: contract.restorePersona,
    remove: contract.deletePersona,
  }
  bindVerbs(api, parts, endpoints, {
    find: findPersona,
    findAbove: findCampaign,
    show: (_db, _call, found: FoundPersona) => found,
    answer: ({ persona, etag }) => ({ body: persona, etag }),
    create: (tx, call, { campaign }: FoundCampaign, body: contract.NewPersona) =>
      createPersona(tx, call, campaign, body),
    edit: editPersona,
    setEnabled,
    remove: deletePersona,
    restore: (tx, call, ids) => restoreOwn(tx, call, 'persona', ids),
    byExternal: {
      rows: byExternalId('persona', ({ pid }) => pid!, lockPersonasByExternalId),
      parentOf: (_call, { campaign }: FoundCampaign) => campaign.cid,
      schema: contract.NewPersona,
    },
  })
}
