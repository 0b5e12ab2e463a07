// Order endpoints and their verbs.

import { type Api, withEtag } from '../../http/api.ts'
import type { Db } from '../../platform/database.ts'
import { copyBanner, findBanner } from '../banners/banners.ts'
import { type CampaignParts, findCampaign } from '../campaigns/campaigns.ts'
import type { PathIds } from '../noun.ts'
import { findPersona } from '../personas/personas.ts'
import * as contract from './contract.ts'
import { asJob, isLarge, refuseToPropose, sizeOfOrder, sizeOfPersonaOrder } from './large.ts'
import {
  checkedCopy,
  checkOrder,
  checkPersonaOrder,
  copyNameOf,
  copyOrder,
  copyPersonaOrder,
  createOrder,
  createPersonaOrder,
} from './orders.ts'
import { sizeOfCampaign, sizeOfPersona } from './queries.ts'

type At = { db: Db; cuid: number; params: PathIds }

/** `mostObjects`: the most objects that a job creates. */
export function orderRoutes(api: Api, given: CampaignParts & { mostObjects: number }): void {
  const parts = { ...given, publicUrl: api.publicUrl }
  const campaign = (call: At) => findCampaign(call.db, call, call.params)
  const persona = (call: At) => findPersona(call.db, call, call.params)
  const madeCampaign = (call: At, made: PathIds) => findCampaign(call.db, call, made)
  const madePersona = (call: At, made: PathIds) => findPersona(call.db, call, made)

  api.bind(contract.createCampaign, {
    stillThere: madeCampaign,
    handle: async call => {
      const { db, caller, body } = call
      const acting = { ...call, ...parts }
      const objects = sizeOfOrder(body)
      if (isLarge(call, { objects, places: 0, bytes: 0 }, parts)) {
        refuseToPropose(caller, body.enabled ?? true, objects)
        await checkOrder(db, acting, body)
        return asJob(call, 'createCampaign', objects, { body }, parts)
      }
      const { order, etag } = await createOrder(db, acting, null, body)
      return withEtag(order, etag)
    },
  })
  api.bind(contract.createPersona, {
    stillThere: madePersona,
    find: campaign,
    handle: async call => {
      const { db, found, body } = call
      const acting = { ...call, ...parts }
      const objects = sizeOfPersonaOrder(body)
      if (isLarge(call, { objects, places: 0, bytes: 0 }, parts)) {
        await checkPersonaOrder(db, acting, body)
        return asJob(call, 'createPersona', objects, { cid: found.campaign.cid, body }, parts)
      }
      const made = await createPersonaOrder(db, acting, found, body)
      return withEtag(made.persona, made.etag)
    },
  })
  api.bind(contract.copyCampaign, {
    stillThere: madeCampaign,
    find: campaign,
    handle: async call => {
      const { db, caller, found, body } = call
      const { cid } = found.campaign
      const size = await sizeOfCampaign(db, cid)
      if (isLarge(call, size, parts)) {
        refuseToPropose(caller, body?.enabled ?? false, size.objects)
        checkedCopy(found.campaign, body, parts)
        return asJob(call, 'copyCampaign', size.objects, { cid, body }, parts)
      }
      const { order, etag } = await copyOrder(db, { ...call, ...parts }, found, body)
      return withEtag(order, etag)
    },
  })
  api.bind(contract.copyPersona, {
    stillThere: madePersona,
    find: persona,
    handle: async call => {
      const { db, found, body } = call
      const { cid, pid } = found.persona
      const into = { cid: body.cid ?? cid, name: body.name ?? undefined }
      const size = await sizeOfPersona(db, pid)
      if (isLarge(call, size, parts)) {
        await findCampaign(db, call, into)
        return asJob(call, 'copyPersona', size.objects, { cid, pid, into }, parts)
      }
      const made = await copyPersonaOrder(db, { ...call, ...parts }, found, into)
      return withEtag(made.persona, made.etag)
    },
  })
  api.bind(contract.copyBanner, {
    stillThere: (call: At, made: PathIds) => findBanner(call.db, call, made),
    find: (call: At) => findBanner(call.db, call, call.params),
    handle: async call => {
      const { db, found, body } = call
      const { cid, pid, name } = found.banner
      // The target must belong to the same customer; otherwise it does not exist.
      const into = await findPersona(db, call, { cid: body.cid ?? cid, pid: body.pid ?? pid })
      const target = { pid: into.persona.pid, name: body.name ?? copyNameOf(name), keepsId: false }
      const copy = await copyBanner(db, { ...call, ...parts }, found, target)
      return withEtag(copy.banner, copy.etag)
    },
  })
}
