// What is added to the address of a click: pairs such as `utm_campaign={campaign.name}`, whose macros are filled in and
// encoded. Names that the address already has stay as they are. Browser-safe, so that the console can show the result.

import { type FieldError, fieldError } from './errors/field-error.ts'

/** All macros; there are no others. */
export const CLICK_MACROS = [
  'customer.cuid',
  'customer.company',
  'customer.externalId',
  'campaign.cid',
  'campaign.name',
  'campaign.externalId',
  'persona.pid',
  'persona.name',
  'persona.externalId',
  'banner.bid',
  'banner.name',
  'banner.externalId',
  'banner.size',
] as const
export type ClickMacro = (typeof CLICK_MACROS)[number]

/** The values of the macros; null: there is none, and a pair that consists of it alone is left out. */
export type ClickValues = Partial<Record<ClickMacro, string | number | null>>

export const MAX_CLICK_PARAMETERS_LENGTH = 1_000
const MAX_PAIRS = 20
/** Servers accept about as much. Pairs that would exceed it are left out. */
const MAX_URL_LENGTH = 8_000
/** The click id is added to every address. */
export const CLICK_ID_NAME = 'mqclid'

const NAME = /^[A-Za-z0-9_.~[\]-]{1,100}$/
const MACRO = /\{([^{}]*)\}/g
/** What may stand in the value of a query as it is, and what is encoded already. */
const PLAIN = /^(?:[A-Za-z0-9\-._~!$'()*+,;:@/?=]|%[0-9A-Fa-f]{2})$/

/** What is wrong with a template: an error of the field at this path; null: nothing. */
export function clickParametersFault(path: string, template: string): FieldError | null {
  const pairs = template.split('&')
  const { length: count } = pairs
  if (count > MAX_PAIRS) return fieldError(path, 'too_many_entries', { min: 1, max: MAX_PAIRS, count })
  const names = new Set<string>()
  for (const pair of pairs) {
    const name = nameOf(pair)
    const value = pair.slice(name.length + 1)
    const wrong = () => fieldError(path, 'not_a_click_parameter', { value: pair, example: '{campaign.name}' })
    if (!pair.includes('=') || !NAME.test(name) || /[\s\p{Cc}#]/u.test(value)) return wrong()
    if (name.toLowerCase() === CLICK_ID_NAME) return fieldError(path, 'click_id_is_added')
    if (names.has(name)) return fieldError(path, 'repeated_click_parameter', { value: name })
    names.add(name)
    for (const [macro, inner] of value.matchAll(MACRO))
      if (!isMacro(inner!))
        return fieldError(path, 'unknown_macro', {
          value: macro,
          allowed: CLICK_MACROS.map(one => `{${one}}`),
        })
    if (/[{}]/.test(value.replaceAll(MACRO, ''))) return wrong()
  }
  return null
}

/** The address with the pairs of the template, before its fragment. `template` null: the address as it is. */
export function finishedUrl(url: string, template: string | null, values: ClickValues): string {
  if (template === null || !URL.canParse(url)) return url
  const { searchParams } = new URL(url)
  const fragment = fragmentOf(url)
  let page = url.slice(0, url.length - fragment.length)
  for (const pair of template.split('&')) {
    const name = nameOf(pair)
    if (searchParams.has(name)) continue
    const value = filled(pair.slice(name.length + 1), values)
    if (value === null) continue
    const longer = withPair(page, name, value)
    if (longer.length + fragment.length <= MAX_URL_LENGTH) page = longer
  }
  return page + fragment
}

/** The address with the click id added before the fragment; everything else stays as it was stored. */
export function withClickId(clickUrl: string, clickId: string): string {
  // Non-ASCII letters are not allowed in a header; this encodes them as a browser would.
  const { href } = new URL(clickUrl)
  const fragment = fragmentOf(href)
  return withPair(href.slice(0, href.length - fragment.length), CLICK_ID_NAME, clickId) + fragment
}

/** With its `#`; empty if there is none. */
function fragmentOf(url: string): string {
  const hash = url.indexOf('#')
  return hash < 0 ? '' : url.slice(hash)
}

function withPair(page: string, name: string, value: string): string {
  const joint = !page.includes('?') ? '?' : /[?&]$/.test(page) ? '' : '&'
  return `${page}${joint}${name}=${value}`
}

function nameOf(pair: string): string {
  return pair.split('=', 1)[0]!
}

/** Null: it has macros, and none of them has a value. */
function filled(text: string, values: ClickValues): string | null {
  let macros = 0
  let found = 0
  const value = text.split(/(\{[^{}]*\})/).map(part => {
    if (!part.startsWith('{')) return encoded(part)
    macros++
    const known = values[part.slice(1, -1) as ClickMacro] ?? null
    if (known === null || known === '') return ''
    found++
    return encodeURIComponent(String(known))
  })
  return macros > 0 && found === 0 ? null : value.join('')
}

function encoded(text: string): string {
  return text.replace(/%[0-9A-Fa-f]{2}|[\s\S]/gu, one => (PLAIN.test(one) ? one : encodeURIComponent(one)))
}

function isMacro(name: string): name is ClickMacro {
  return (CLICK_MACROS as readonly string[]).includes(name)
}
