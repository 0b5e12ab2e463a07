// Persona endpoints, each to its verb.

import { findCampaign } from '../campaigns/campaigns.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Db } from '../platform/database.ts'
import { type Api, withEtag } from '../platform/http/api.ts'
import type { Persona } from './contract.ts'
import * as contract from './contract.ts'
import {
  createPersona,
  deletePersona,
  editPersona,
  type FoundPersona,
  findPersona,
  listPersonas,
  pausePersona,
  resumePersona,
} from './personas.ts'

export function personaRoutes(api: Api, { clock }: { clock: Clock }): void {
  const find = ({ db, cuid, params }: { db: Db; cuid: number; params: Record<string, string> }) =>
    findPersona(db, cuid, params.cid!, params.pid!)
  const by = ({ caller, ifMatch }: { caller: Caller; ifMatch: string | null }) => ({ caller, ifMatch, clock })
  const answer = ({ persona, etag }: FoundPersona) => withEtag(persona, etag)

  api.bind(contract.createPersona, {
    find: call => findCampaign(call.db, call.cuid, call.params.cid!),
    handle: async call =>
      answer(await createPersona(call.db, call.cuid, call.found.campaign.cid, call.body, by(call))),
  })
  api.bindList(contract.listPersonas, {
    idOf: (persona: Persona) => persona.pid,
    page: call => (after, limit) => listPersonas(call.db, call.cuid, call.params.cid!, after, limit),
  })
  api.bind(contract.readPersona, { find, handle: async call => answer(call.found) })
  api.bind(contract.editPersona, {
    find,
    handle: async call => answer(await editPersona(call.db, call.found, call.body, by(call))),
  })
  api.bind(contract.pausePersona, {
    find,
    handle: async call => answer(await pausePersona(call.db, call.found, by(call))),
  })
  api.bind(contract.resumePersona, {
    find,
    handle: async call => answer(await resumePersona(call.db, call.found, by(call))),
  })
  api.bind(contract.deletePersona, {
    find,
    handle: async call => {
      await deletePersona(call.db, call.found, by(call))
      return { pid: call.found.persona.pid, deleted: true as const }
    },
  })
}
