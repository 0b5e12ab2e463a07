// Order endpoints and their verbs.

import { copyBanner, findBanner } from '../banners/banners.ts'
import { type CampaignParts, findCampaign } from '../campaigns/campaigns.ts'
import { findPersona } from '../personas/personas.ts'
import type { Db } from '../platform/database.ts'
import { type Api, withEtag } from '../platform/http/api.ts'
import * as contract from './contract.ts'
import { copyNameOf, copyOrder, copyPersonaOrder, createOrder, createPersonaOrder } from './orders.ts'

interface At {
  db: Db
  cuid: number
  params: Record<string, string>
}

export function orderRoutes(api: Api, campaignParts: CampaignParts): void {
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
    handle: async ({ db, caller, cuid, body }) => {
      const { order, etag } = await createOrder(db, caller, cuid, body, parts)
      return withEtag(order, etag)
    },
  })
  api.bind(contract.createPersona, {
    stillThere: madePersona,
    find: campaign,
    handle: async ({ db, caller, found, body }) => {
      const made = await createPersonaOrder(db, caller, found, body, parts)
      return withEtag(made.persona, made.etag)
    },
  })
  api.bind(contract.copyCampaign, {
    stillThere: madeCampaign,
    find: campaign,
    handle: async ({ db, caller, found, body }) => {
      const { order, etag } = await copyOrder(db, caller, found, body, parts)
      return withEtag(order, etag)
    },
  })
  api.bind(contract.copyPersona, {
    stillThere: madePersona,
    find: persona,
    handle: async ({ db, caller, found, body }) => {
      const into = { cid: body.cid ?? found.persona.cid, name: body.name ?? undefined }
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
