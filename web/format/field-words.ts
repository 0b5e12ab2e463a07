// Names and values of managed objects as the forms show them, for the history and for conflicts.

import { useQuery } from '@tanstack/react-query'
import type { WantedAttributes } from '../../src/manage/attributes/contract.ts'
import type { Banner } from '../../src/manage/banners/contract.ts'
import { api } from '../api/client.ts'
import type { Hours } from '../campaigns/hours/week.ts'
import { weekText } from '../campaigns/hours/week-text.ts'
import { useZone } from '../period/use-period.ts'
import { placeName } from '../personas/place-name.ts'
import { useCategoryName } from '../words/categories.ts'
import { fieldSentence } from '../words/error-words.ts'
import { isWord, named, t, type Word } from '../words/words.ts'
import { dateTime, decimal, integer, money } from './format.ts'

/** In the order of the forms. */
const NAMES: Record<string, Word> = {
  name: 'form.name',
  dailySpend: 'campaigns.budget',
  monthlySpend: 'campaigns.monthly',
  totalSpend: 'campaigns.total',
  start: 'campaigns.start',
  end: 'campaigns.end',
  pricing: 'campaigns.pricing',
  cpm: 'campaigns.cpm',
  cpc: 'campaigns.cpc',
  freq: 'campaigns.frequency',
  frequency: 'campaigns.frequency',
  pacing: 'campaigns.pacing',
  hours: 'hours.title',
  sites: 'sites.title',
  category: 'campaigns.category',
  enabled: 'campaigns.deliver',
  geo: 'personas.where',
  cat: 'personas.categories',
  device: 'personas.devices',
  demo: 'field.demo',
  attributes: 'personas.attributes',
  rotation: 'rotation.title',
  creativeURL: 'banners.creativeUrl',
  clickUrl: 'banners.clickUrl',
  clickParameters: 'banners.clickParameters',
  weight: 'banners.weight',
  status: 'campaigns.status',
  reasons: 'field.reasons',
  findings: 'field.reasons',
  url: 'webhooks.url',
  description: 'webhooks.description',
  events: 'webhooks.events',
  externalId: 'field.externalId',
  company: 'customers.field.company',
  email: 'customers.field.email',
  day: 'notes.day',
  text: 'notes.text',
  every: 'views.every',
  mailTo: 'views.mailTo',
  takesShown: 'views.takeShown',
}

function wordOf(field: string): Word | null {
  const own = `customers.field.${field}`
  return NAMES[field] ?? (isWord(own) ? own : null)
}

export function fieldName(field: string): string {
  return t(wordOf(field) ?? 'field.other')
}

const PLACES = new Map(Object.keys(NAMES).map((field, place) => [field, place]))

/** Sorts fields as their forms do; JSON from the database has its own order. */
export function inOrder(one: string, other: string): number {
  const placeOf = (field: string) => PLACES.get(field) ?? PLACES.size
  return placeOf(one) - placeOf(other)
}

/** A field without a name is one that no person sets or sees. */
export const isShownField = (field: string) => wordOf(field) !== null

/** Writes a value as its form shows it. */
export function useFieldValue(): (field: string, value: unknown) => string {
  const timezone = useZone()
  const categoryName = useCategoryName()
  const { data: tree = [] } = useQuery({
    queryKey: ['iab'],
    queryFn: () => api.listIabCategories(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const names = new Map(
    tree.flatMap(parent => [parent, ...parent.children]).map(({ code, name }) => [code, name]),
  )
  const category = (code: string) => categoryName(code, names.get(code) ?? code)
  return (field, value) => write(field, value, timezone, category)
}

function write(field: string, value: unknown, timeZone: string, category: (code: string) => string): string {
  if (field === 'hours') return value ? weekText(value as Hours) : t('hours.always')
  if (field === 'sites') return sitesText(value as Sites)
  if (value === null || value === undefined || value === '') return t('field.nothing')
  if (typeof value === 'boolean') return t(value ? 'field.on' : 'field.off')
  switch (field) {
    case 'start':
    case 'end':
      return dateTime(Number(value), timeZone)
    case 'dailySpend':
    case 'monthlySpend':
    case 'totalSpend':
    case 'cpm':
    case 'cpc':
      return money(Number(value))
    case 'freq':
    case 'frequency':
      return Number(value) === 0 ? t('field.noCap') : integer(Number(value))
    case 'pricing':
      return t(value === 'cpc' ? 'campaigns.pricingCpc' : 'campaigns.pricingCpm')
    case 'pacing':
      return t(value === 'asap' ? 'campaigns.pacingAsap' : 'campaigns.pacingEven')
    case 'rotation':
      return named('rotation', String(value))
    case 'status':
      return named('status', String(value))
    case 'category':
      return (value as string[]).map(category).join(', ') || t('field.nothing')
    case 'cat':
      return listOf(value as string[], category)
    case 'every':
      return named('every', String(value))
    case 'mailTo':
      return t('views.people', { count: (value as number[]).length })
    case 'events':
      return listOf(value as string[], name => named('event', name))
    case 'reasons':
      return (value as string[]).join(' ') || t('field.nothing')
    case 'findings':
      return (
        (value as Banner['findings']).map(finding => fieldSentence(finding)).join(' ') || t('field.nothing')
      )
    case 'geo':
      return writeGeo(value as GeoValue)
    case 'device':
      return switchesOf('device', value as Switches)
    case 'attributes':
      return writeAttributes(value as WantedAttributes)
    case 'demo':
      return writeDemo(value as Record<'gender' | 'age', Switches | null>)
    default:
      return typeof value === 'object' ? Object.values(value).join(', ') : String(value)
  }
}

/** `section: sport, news · tags: − alcohol · price: 10–50` */
export function writeAttributes(wanted: WantedAttributes): string {
  const parts = Object.entries(wanted).map(([key, { any, all, none, min, max }]) => {
    const range = min === undefined && max === undefined ? [] : [`${min ?? ''}–${max ?? ''}`]
    const lists = [
      ...(any ?? []),
      ...(all ?? []).map(one => `+ ${one}`),
      ...(none ?? []).map(one => `− ${one}`),
    ]
    return `${key}: ${[...lists, ...range].join(', ')}`
  })
  return parts.join(' · ') || t('field.all')
}

type Sites = { only: string[]; not: string[] } | null | undefined

function sitesText(sites: Sites): string {
  const { only, not } = sites ?? { only: [], not: [] }
  const parts = [
    ...(only.length > 0 ? [t('sites.onlyOn', { sites: only.join(', ') })] : []),
    ...(not.length > 0 ? [t('sites.notOn', { sites: not.join(', ') })] : []),
  ]
  return parts.join('; ') || t('sites.everywhere')
}

type GeoValue = { geos: string[] } | { radius: number; geocode: [number, number] }
type Switches = Record<string, boolean>

export function listOf(list: readonly string[], nameOf: (entry: string) => string): string {
  return list.length === 0 ? t('field.all') : list.map(nameOf).join(', ')
}

export function writeGeo(geo: GeoValue): string {
  if ('geos' in geo) return listOf(geo.geos, place => placeName(place))
  const [latitude, longitude] = geo.geocode
  return t('personas.around', {
    km: decimal(geo.radius / 1000, 1),
    place: `${decimal(latitude, 2)}, ${decimal(longitude, 2)}`,
  })
}

function switchesOf(prefix: string, switches: Switches): string {
  const on = Object.keys(switches).filter(key => switches[key])
  return on.map(key => named(prefix, key)).join(', ')
}

function writeDemo({ gender, age }: Record<'gender' | 'age', Switches | null>): string {
  const all = (prefix: string, value: Switches | null) => (value ? switchesOf(prefix, value) : t('field.all'))
  return `${t('personas.gender')}: ${all('gender', gender)} · ${t('personas.age')}: ${all('age', age)}`
}
