// Binds each persona endpoint to its verb.

import { type Api, upserted, withEtag } from '../../http/api.ts'
import { fitsFilter, HEAVY_STEP, type NamedFilter, only } from '../../http/list.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../platform/database.ts'
import { type FoundCampaign, findCampaign, type RestoreParts, restoreOwn } from '../campaigns/campaigns.ts'
import { personaKey, presentPersona, putPersona } from './by-external.ts'
import type { Persona } from './contract.ts'
import * as contract from './contract.ts'
import {
  deletePersona,
  editPersona,
  type FoundPersona,
  findPersona,
  listDeletedPersonas,
  listPersonas,
  pausePersona,
  resumePersona,
} from './personas.ts'

export function personaRoutes(api: Api, parts: RestoreParts): void {
  const { clock } = parts
  const find = ({ db, cuid, params }: { db: Db; cuid: number; params: Record<string, string> }) =>
    findPersona(db, cuid, params.cid!, params.pid!)
  const campaign = ({ db, cuid, params }: { db: Db; cuid: number; params: Record<string, string> }) =>
    findCampaign(db, cuid, params.cid!)
  const keyOf = ({ found, params }: { found: FoundCampaign; params: Record<string, string> }) =>
    personaKey(found.campaign.cid, params.externalId!)
  const by = ({ caller, ifMatch }: { caller: Caller; ifMatch: string | null }) => ({ caller, ifMatch, clock })
  const idOf = (persona: Persona) => persona.pid
  const answer = ({ persona, etag }: FoundPersona) => withEtag(persona, etag)

  api.bindList(contract.listPersonas, {
    idOf,
    step: HEAVY_STEP,
    page: call => {
      const page = (after: number, limit: number) =>
        call.query.deleted
          ? listDeletedPersonas(call.db, call.cuid, call.params.cid!, after, limit, parts)
          : listPersonas(call.db, call.cuid, call.params.cid!, after, limit)
      const { enabled, q, externalId } = call.query as NamedFilter & { enabled?: boolean }
      if (enabled === undefined && q === undefined && externalId === undefined) return page
      const fits = (persona: Persona) =>
        (enabled === undefined || persona.enabled === enabled) && fitsFilter({ q, externalId }, persona)
      return only(page, idOf, fits, call.longRead, HEAVY_STEP)
    },
  })
  api.bind(contract.readPersona, { find, handle: async call => answer(call.found) })
  api.bind(contract.editPersona, {
    find,
    present: async call => call.found.persona,
    handle: async call => answer(await editPersona(call.db, call.found, call.body, by(call))),
  })
  api.bind(contract.putPersona, {
    find: campaign,
    present: call => presentPersona(call.db, call.cuid, keyOf(call)),
    handle: async call => {
      const { result, created } = await putPersona(call.db, call.cuid, keyOf(call), call.body, by(call))
      return upserted(result.persona, result.etag, created)
    },
  })
  api.bind(contract.pausePersona, {
    find,
    handle: async call => answer(await pausePersona(call.db, call.found, by(call))),
  })
  api.bind(contract.resumePersona, {
    find,
    handle: async call => answer(await resumePersona(call.db, call.found, by(call))),
  })
  api.bind(contract.restorePersona, {
    find: campaign,
    handle: async call => {
      await restoreOwn(call.db, call.caller, call.cuid, 'persona', call.params, parts)
      return answer(await find(call))
    },
  })
  api.bind(contract.deletePersona, {
    find,
    handle: async call => {
      await deletePersona(call.db, call.found, by(call))
      return { pid: call.found.persona.pid, deleted: true as const }
    },
  })
}
