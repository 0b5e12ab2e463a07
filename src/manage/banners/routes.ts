// Binds each banner and creative endpoint to its verb.

import type { FastifyInstance } from 'fastify'
import { type Api, upserted, withEtag } from '../../http/api.ts'
import { type FetchPage, fitsFilter, type LongRead, type NamedFilter, only } from '../../http/list.ts'
import type { Caller } from '../../kernel/caller.ts'
import { invalidField, notFound } from '../../kernel/errors/problem.ts'
import type { Db } from '../../platform/database.ts'
import { type RestoreParts, restoreOwn } from '../campaigns/campaigns.ts'
import { type FoundPersona, findPersona } from '../personas/personas.ts'
import {
  createBanner,
  deleteBanner,
  editBanner,
  type FoundBanner,
  findBanner,
  findNamedBanner,
  listAllBanners,
  listBanners,
  listDeletedBanners,
  setEnabled,
} from './banners.ts'
import { bannerKey, presentBanner, putBanner } from './by-external.ts'
import type { Banner } from './contract.ts'
import * as contract from './contract.ts'
import type { Creatives } from './creative/store.ts'
import { keepUpload, readImageBodies, type UploadParts } from './uploads.ts'

interface AtPath {
  db: Db
  cuid: number
  params: Record<string, string>
}

type BannerFilter = NamedFilter & { status?: string; enabled?: boolean }

const bannerId = (item: Banner) => item.bid

/** Returns the page itself if nothing is filtered. */
function filtered(
  page: FetchPage<Banner>,
  { query, longRead }: { query: BannerFilter; longRead: LongRead },
  cids: readonly number[] | null = null,
) {
  const { status, enabled, q, externalId } = query
  if (cids === null && [status, enabled, q, externalId].every(value => value === undefined)) return page
  const fits = (item: Banner) =>
    (cids === null || cids.includes(item.cid)) &&
    (status === undefined || item.status === status) &&
    (enabled === undefined || item.enabled === enabled) &&
    fitsFilter({ q, externalId }, item)
  return only(page, bannerId, fits, longRead)
}

export function bannerRoutes(api: Api, parts: RestoreParts): void {
  const { clock } = parts
  const { publicUrl } = api
  const persona = ({ db, cuid, params }: AtPath) => findPersona(db, cuid, params.cid!, params.pid!)
  const banner = ({ db, cuid, params }: AtPath) => findBanner(db, cuid, params.cid!, params.pid!, params.bid!)
  const keyOf = ({ found, params }: { found: FoundPersona; params: Record<string, string> }) =>
    bannerKey(found.persona.pid, params.externalId!)
  const by = ({ caller, ifMatch }: { caller: Caller; ifMatch: string | null }) => ({
    caller,
    ifMatch,
    clock,
    publicUrl,
  })
  const answer = ({ banner, etag }: FoundBanner) => withEtag(banner, etag)

  api.bind(contract.createBanner, {
    find: persona,
    stillThere: (call, { bid }) => banner({ ...call, params: { ...call.params, bid: String(bid) } }),
    handle: async call => answer(await createBanner(call.db, call.found, call.body, by(call))),
  })
  api.bindList(contract.listBanners, {
    find: persona,
    idOf: bannerId,
    page: call => {
      const page = (after: number, limit: number) =>
        call.query.deleted
          ? listDeletedBanners(call.db, call.found, after, limit, parts)
          : listBanners(call.db, call.found, after, limit)
      return filtered(page, call)
    },
  })
  api.bindList(contract.listAllBanners, {
    idOf: bannerId,
    page: call => {
      const { cid, bids } = call.query as { cid?: number; bids?: string }
      // A customer may have hundreds of thousands of banners, and no index has all of them in this order.
      if (cid === undefined && bids === undefined) throw invalidField('?cid', 'required')
      const scope = { cid, bids: bids?.split(',').map(Number) }
      const page = (after: number, limit: number) => listAllBanners(call.db, call.cuid, scope, after, limit)
      const cids = call.caller.level === 'customer' ? call.caller.cids : null
      return filtered(page, call, cids)
    },
  })
  api.bind(contract.editNamedBanner, {
    find: persona,
    present: async call => {
      const given = (call.request.body as { bid?: unknown } | null)?.bid
      const inBody = Number.isSafeInteger(given) ? (given as number) : undefined
      const named = await findNamedBanner(call.db, call.found, inBody, call.query.bid as number | undefined)
      return named.banner
    },
    handle: async call => {
      const { bid, ...edit } = call.body
      const target = await findNamedBanner(call.db, call.found, bid, call.query.bid as number | undefined)
      return answer(await editBanner(call.db, target, edit, by(call)))
    },
  })
  api.bind(contract.readBanner, { find: banner, handle: async call => answer(call.found) })
  api.bind(contract.editBanner, {
    find: banner,
    present: async call => call.found.banner,
    handle: async call => answer(await editBanner(call.db, call.found, call.body, by(call))),
  })
  api.bind(contract.putBanner, {
    find: persona,
    present: call => presentBanner(call.db, call.cuid, keyOf(call)),
    handle: async call => {
      const { result, created } = await putBanner(call.db, call.found, keyOf(call), call.body, by(call))
      return upserted(result.banner, result.etag, created)
    },
  })
  api.bind(contract.pauseBanner, {
    find: banner,
    handle: async call => answer(await setEnabled(call.db, call.found, false, by(call))),
  })
  api.bind(contract.resumeBanner, {
    find: banner,
    handle: async call => answer(await setEnabled(call.db, call.found, true, by(call))),
  })
  api.bind(contract.restoreBanner, {
    find: persona,
    handle: async call => {
      await restoreOwn(call.db, call.caller, call.cuid, 'banner', call.params, parts)
      return answer(await banner(call))
    },
  })
  api.bind(contract.deleteBanner, {
    find: banner,
    handle: async call => {
      await deleteBanner(call.db, call.found, by(call))
      return { bid: call.found.banner.bid, deleted: true as const }
    },
  })
}

/** For a separate server instance, whose bodies are images instead of JSON. */
export function uploadRoutes(api: Api, parts: UploadParts): void {
  readImageBodies(api.fastify, parts.inspect)
  api.bind(contract.uploadCreative, {
    handle: call => keepUpload(call.db, call.cuid, call.request.body, parts),
  })
}

/** Images are shown on other sites and must never run: even one that is read as something else can do nothing. */
const IMAGE_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
}

/** Images for browsers, not part of the API. The name is a hash of the content, so the content never changes. */
export function creativeFiles(fastify: FastifyInstance, { files }: { files: Creatives }): void {
  fastify.route<{ Params: { file: string } }>({
    method: 'GET',
    url: '/creative/:file',
    exposeHeadRoute: true,
    handler: async (request, reply) => {
      const creative = await files.read(request.params.file)
      if (!creative) throw notFound('creative')
      const etag = `"${request.params.file}"`
      reply.headers({ ...IMAGE_HEADERS, etag })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.header('content-type', creative.contentType).send(creative.bytes)
    },
  })
}
