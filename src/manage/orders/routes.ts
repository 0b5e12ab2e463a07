// Order endpoints and their verbs.

import { type Api, withEtag } from '../../http/api.ts'
import type { Db } from '../../platform/database.ts'
import { copyBanner, findBanner } from '../banners/banners.ts'
import { type CampaignParts, findCampaign } from '../campaigns/campaigns.ts'
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

interface At {
  db: Db
  cuid: number
  params: Record<string, string>
}

/** `mostObjects`: the most objects that a job creates. */
export function orderRoutes(api: Api, campaignParts: CampaignParts & { mostObjects: number }): void {
  const parts = { ...campaignParts, publicUrl: api.publicUrl }
  const campaign = (call: At) => findCampaign(call.db, call.cuid, call.params.cid!)
  const persona = (call: At) => findPersona(call.db, call.cuid, call.params.cid!, call.params.pid!)
  const banner = (call: At) =>
    findBanner(call.db, call.cuid, call.params.cid!, call.params.pid!, call.params.bid!)

  const madeCampaign = ({ db, cuid }: At, made: { cid: number }) => findCampaign(db, cuid, String(made.cid))
  const madePersona = ({ db, cuid }: At, made: { cid: number; pid: number }) =>
    findPersona(db, cuid, String(made.cid), String(made.pid))
  const madeBanner = ({ db, cuid }: At, made: { cid: number; pid: number; bid: number }) =>
    findBanner(db, cuid, String(made.cid), String(made.pid), String(made.bid))

  api.bind(contract.createCampaign, {
    stillThere: madeCampaign,
    handle: async call => {
      const { db, caller, cuid, body } = call
      const objects = sizeOfOrder(body)
      if (isLarge(call, { objects, places: 0, bytes: 0 }, parts)) {
        refuseToPropose(caller, body.enabled ?? true, objects)
        await checkOrder(db, cuid, body, parts)
        return asJob(call, 'createCampaign', objects, { body }, parts)
      }
      const { order, etag } = await createOrder(db, caller, cuid, body, parts)
      return withEtag(order, etag)
    },
  })
  api.bind(contract.createPersona, {
    stillThere: madePersona,
    find: campaign,
    handle: async call => {
      const { db, caller, cuid, found, body } = call
      const objects = sizeOfPersonaOrder(body)
      if (isLarge(call, { objects, places: 0, bytes: 0 }, parts)) {
        await checkPersonaOrder(db, cuid, body, parts)
        return asJob(call, 'createPersona', objects, { cid: found.campaign.cid, body }, parts)
      }
      const made = await createPersonaOrder(db, caller, found, body, parts)
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
      const { order, etag } = await copyOrder(db, caller, found, body, parts)
      return withEtag(order, etag)
    },
  })
  api.bind(contract.copyPersona, {
    stillThere: madePersona,
    find: persona,
    handle: async call => {
      const { db, caller, cuid, found, body } = call
      const { cid, pid } = found.persona
      const into = { cid: body.cid ?? cid, name: body.name ?? undefined }
      const size = await sizeOfPersona(db, pid)
      if (isLarge(call, size, parts)) {
        await findCampaign(db, cuid, String(into.cid))
        return asJob(call, 'copyPersona', size.objects, { cid, pid, into }, parts)
      }
      const made = await copyPersonaOrder(db, caller, found, into, parts)
      return withEtag(made.persona, made.etag)
    },
  })
  api.bind(contract.copyBanner, {
    stillThere: madeBanner,
    find: banner,
    handle: async ({ db, caller, cuid, found, body }) => {
      const { cid, pid, name } = found.banner
      // The target must belong to the same customer; otherwise it does not exist.
      const into = await findPersona(db, cuid, String(body.cid ?? cid), String(body.pid ?? pid))
      const target = { pid: into.persona.pid, name: body.name ?? copyNameOf(name), keepsId: false }
      const copy = await copyBanner(db, found, target, { caller, clock: parts.clock })
      return withEtag(copy.banner, copy.etag)
    },
  })
}
