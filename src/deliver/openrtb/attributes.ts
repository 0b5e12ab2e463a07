// Attributes of apps in a bid request: where its source has them, as whoever manages the source has said. What is about
// the visitor (`user.…`) is read only where consent allows to recognise them.

import type { AttributeBook } from '../../manage/attributes/book.ts'
import type { SourceAttributes } from '../../manage/sources/attribute-paths.ts'
import { MOST_VALUES, type OnDrop, readAttributes } from '../audience/attributes.ts'
import type { RequestAttribute } from '../targeting/request.ts'
import { type Fields, fieldsOf, listOf, textOf } from './read.ts'

export interface AttributeSource {
  book: AttributeBook
  paths: SourceAttributes
  /** Not everybody can send its requests. */
  isTrusted: boolean
  onDrop: OnDrop
}

const LONGEST_KEYWORDS = 4_096
const MOST_PROVIDERS = 50

/** Undefined: the request has none, or the source has no places for them. */
export function attributesOf(
  request: Fields,
  { book, paths, isTrusted, onDrop }: AttributeSource,
  mayIdentify: boolean,
): RequestAttribute[] | undefined {
  const given: Record<string, unknown[]> = {}
  for (const [key, places] of Object.entries(paths)) {
    const values = places.flatMap(place => valuesAt(request, place, mayIdentify))
    if (values.length > 0) given[key] = values
  }
  return readAttributes(given, book, isTrusted, onDrop)
}

function valuesAt(request: Fields, place: string, mayIdentify: boolean): unknown[] {
  const [first, ...rest] = place.split('.')
  const site = fieldsOf(request.site) ?? fieldsOf(request.app)
  if (place === 'keywords') return keywordsOf(site)
  if (first === 'content') return segmentsOf(fieldsOf(site?.content), rest.slice(1).join('.'))
  if (first === 'user' && !mayIdentify) return []
  const part = fieldsOf(request[first!])
  if (rest[0] === 'keywords') return keywordsOf(part)
  const data = fieldsOf(fieldsOf(part?.ext)?.data)
  const name = rest.slice(2).join('.')
  return data !== null && Object.hasOwn(data, name) ? valuesOf(data[name]) : []
}

/** `keywords` is a text with commas; `kwarray`, its newer form, a list. */
function keywordsOf(part: Fields | null): unknown[] {
  if (part === null) return []
  const words = textOf(part.keywords, LONGEST_KEYWORDS)?.split(',') ?? []
  return [...words, ...valuesOf(part.kwarray)].slice(0, MOST_VALUES)
}

/** Of the provider of data with this name or id: the ids, names or values of its segments. */
function segmentsOf(content: Fields | null, provider: string): unknown[] {
  const found = (listOf(content?.data) ?? [])
    .slice(0, MOST_PROVIDERS)
    .map(fieldsOf)
    .filter(one => one !== null && (one.name === provider || one.id === provider))
  return found
    .flatMap(one => (listOf(one!.segment) ?? []).slice(0, MOST_VALUES))
    .map(fieldsOf)
    .map(segment => segment?.id ?? segment?.name ?? segment?.value)
    .filter(isSaid)
}

function valuesOf(value: unknown): unknown[] {
  return (Array.isArray(value) ? value.slice(0, MOST_VALUES) : [value]).filter(isSaid)
}

function isSaid(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}
