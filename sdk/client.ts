// The typed client: one method for each endpoint of the contracts, so that it can never say anything else than they do.
// Browser-safe. A call that is refused throws MarqueeError.

import type { EndpointSpec } from '../src/platform/endpoint.ts'
import {
  type EndpointId,
  endpoints,
  type InputOf,
  type ItemOf,
  type ListId,
  type OutputOf,
} from './endpoints.ts'
import { type CallOptions, type ClientOptions, MarqueeError, pathOf, send } from './request.ts'

export { type CallOptions, type ClientOptions, type Credentials, MarqueeError } from './request.ts'
export type { EndpointId, InputOf, ItemOf, ListId, OutputOf }

/** An endpoint that needs no input can be called without. */
type Arguments<Input> =
  Partial<Input> extends Input
    ? [input?: Input, options?: CallOptions]
    : [input: Input, options?: CallOptions]

/** An answer with what stood in its headers. */
export interface Meta<A> {
  answer: A
  status: number
  /** For `ifMatch`. */
  etag: string | null
  /** `after` of the next page of a list; null: this was the last one. */
  next: number | null
  /** Where a redirect leads. */
  location: string | null
  requestId: string | null
}

type Methods = { [Id in EndpointId]: (...args: Arguments<InputOf<Id>>) => Promise<OutputOf<Id>> }
type MetaMethods = { [Id in EndpointId]: (...args: Arguments<InputOf<Id>>) => Promise<Meta<OutputOf<Id>>> }
type EachMethods = { [Id in ListId]: (...args: Arguments<InputOf<Id>>) => AsyncGenerator<ItemOf<Id>> }

export interface Client extends Methods {
  /** The same calls; the answers come with status, etag and the next page. */
  withMeta: MetaMethods
  /** Lists entry by entry, fetched page by page (`limit` is the size of a page). */
  each: EachMethods
  /** The same calls as the plain response: for CSV (`accept`), streams and files. */
  raw: { [Id in EndpointId]: (...args: Arguments<InputOf<Id>>) => Promise<Response> }
  /** The address of a call, for links. */
  urlOf<Id extends EndpointId>(id: Id, input: InputOf<Id>): string
}

const PAGE_SIZE = 200

type Call<R> = (input?: Record<string, unknown>, options?: CallOptions) => R

export function createClient(options: ClientOptions): Client {
  const raw = methods(
    endpoint =>
      (input = {}, call = {}) =>
        send(options, endpoint, input, call),
  )
  const withMeta = methods(
    endpoint =>
      async (input = {}, call = {}) =>
        metaOf(await send(options, endpoint, input, call)),
  )
  const plain = methods(
    endpoint =>
      async (input = {}, call = {}) =>
        answerOf(await send(options, endpoint, input, call)),
  )
  const each = methods(
    endpoint =>
      (input = {}, call = {}) =>
        items(options, endpoint, input, call),
  )
  const urlOf = (id: string, input: Record<string, unknown>) =>
    options.baseUrl.replace(/\/+$/, '') + pathOf(endpoints.get(id)!, input)
  return { ...plain, withMeta, each, raw, urlOf } as unknown as Client
}

function methods<R>(make: (endpoint: EndpointSpec) => Call<R>): Record<string, Call<R>> {
  return Object.fromEntries([...endpoints].map(([id, endpoint]) => [id, make(endpoint)]))
}

async function metaOf(response: Response): Promise<Meta<unknown>> {
  const { headers } = response
  const link = /<([^>]+)>; *rel="next"/.exec(headers.get('link') ?? '')
  return {
    answer: await answerOf(response),
    status: response.status,
    etag: headers.get('etag'),
    next: link ? Number(new URL(link[1]!, 'http://localhost').searchParams.get('after')) : null,
    location: headers.get('location'),
    requestId: headers.get('x-request-id'),
  }
}

async function answerOf(response: Response): Promise<unknown> {
  if (response.status === 302 || response.status === 204) return null
  try {
    return await response.json()
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      const body = { message: 'the answer is not JSON', code: 'malformed_answer' }
      throw new MarqueeError(response.status, body, response.headers.get('x-request-id'))
    }
    throw cause
  }
}

async function* items(
  options: ClientOptions,
  endpoint: EndpointSpec,
  input: Record<string, unknown>,
  call: CallOptions,
): AsyncGenerator<unknown> {
  let after = input.after as number | undefined
  for (;;) {
    const page = { limit: PAGE_SIZE, ...input, after }
    const { answer, next } = await metaOf(await send(options, endpoint, page, call))
    yield* answer as unknown[]
    if (next === null) return
    after = next
  }
}
