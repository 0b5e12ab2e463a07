// Binds each banner and creative endpoint to its verb.

import type { FastifyInstance } from 'fastify'
import { type Api, withEtag } from '../../http/api.ts'
import { byExternalId } from '../../http/external-id.ts'
import { invalidField, notFound } from '../../kernel/errors/problem.ts'
import type { Db } from '../../platform/database.ts'
import { type RestoreParts, restoreOwn } from '../campaigns/campaigns.ts'
import { bindVerbs, filtered, type PathIds, pageOf } from '../noun.ts'
import { type FoundPersona, findPersona } from '../personas/personas.ts'
import {
  createBanner,
  deleteBanner,
  editBanner,
  editByExternalId,
  type FoundBanner,
  findBanner,
  findNamedBanner,
  listAllBanners,
  listBanners,
  setEnabled,
} from './banners.ts'
import type { Banner } from './contract.ts'
import * as contract from './contract.ts'
import type { Creatives } from './creative/store.ts'
import { lockBannersByExternalId } from './queries.ts'
import { keepUpload, readImageBodies, type UploadParts } from './uploads.ts'

export function bannerRoutes(api: Api, restoring: RestoreParts): void {
  const parts = { ...restoring, publicUrl: api.publicUrl }
  const idOf = ({ bid }: Banner) => bid
  const persona = (call: { db: Db; cuid: number; params: PathIds }) => findPersona(call.db, call, call.params)

  api.bindList(contract.listBanners, {
    find: persona,
    idOf,
    page: call => {
      const page = (after: number, limit: number) =>
        listBanners(call.db, parts, call.found, { after, limit, ...pageOf(call.query, parts) })
      return filtered(call, page, idOf)
    },
  })
  api.bindList(contract.listAllBanners, {
    idOf,
    page: call => {
      const { cid, bids } = call.query as { cid?: number; bids?: string }
      // A customer may have hundreds of thousands of banners, and no index has all of them in this order.
      if (cid === undefined && bids === undefined) throw invalidField('?cid', 'required')
      const scope = { cid, bids: bids?.split(',').map(Number) }
      const page = (after: number, limit: number) => listAllBanners(call.db, call, scope, { after, limit })
      const cids = call.caller.level === 'customer' ? call.caller.cids : null
      return filtered(call, page, idOf, { within: cids && (({ cid }) => cids.includes(cid)) })
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
      const { banner, etag } = await editBanner(call.db, { ...call, ...parts }, target, edit)
      return withEtag(banner, etag)
    },
  })
  const endpoints = {
    create: contract.createBanner,
    read: contract.readBanner,
    edit: contract.editBanner,
    put: contract.putBanner,
    pause: contract.pauseBanner,
    resume: contract.resumeBanner,
    restore: contract.restoreBanner,
    remove: contract.deleteBanner,
  }
  bindVerbs(api, parts, endpoints, {
    find: findBanner,
    findAbove: findPersona,
    show: (_db, _call, found: FoundBanner) => found,
    answer: ({ banner, etag }) => ({ body: banner, etag }),
    create: createBanner,
    edit: editBanner,
    setEnabled,
    remove: deleteBanner,
    restore: (tx, call, ids) => restoreOwn(tx, call, 'banner', ids),
    byExternal: {
      rows: byExternalId('banner', ({ bid }) => bid!, lockBannersByExternalId),
      parentOf: (_call, { persona }: FoundPersona) => persona.pid,
      schema: contract.NewBanner,
      edit: editByExternalId,
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
