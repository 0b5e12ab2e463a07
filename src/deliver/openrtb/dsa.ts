// Who is behind an ad, and why it is shown: what a bid says about itself where the request demands it by the EU's
// Digital Services Act (IAB's transparency extension; `regs.dsa`, or `regs.ext.dsa`).

import type { Targeting } from '../../manage/personas/matched-form.ts'
import { escapeHtml } from '../markup/escape.ts'
import { isPlain, jsonOf } from '../markup/json.ts'
import { type Fields, fieldsOf } from './read.ts'

export interface DsaDemand {
  /** The page does not show it, so our markup must. */
  mustRender: boolean
  wantsTransparency: boolean
}

/** Prebid refuses longer names. */
const MOST_NAME_CHARS = 100
const PROFILING = 1
const BASIC_ADVERTISING = 2
const PRECISE_GEOLOCATION = 3

/** Null: bids without it are accepted. */
export function dsaDemandOf(regs: Fields | null): DsaDemand | null {
  for (const dsa of [fieldsOf(regs?.dsa), fieldsOf(fieldsOf(regs?.ext)?.dsa)]) {
    if (dsa === null || !['2', '3'].includes(String(dsa.dsarequired))) continue
    const isRenderedByPage = ['1', '2'].includes(String(dsa.pubrender))
    return { mustRender: !isRenderedByPage, wantsTransparency: String(dsa.datatopub) !== '0' }
  }
  return null
}

/** `ext` of a bid as JSON text; `domain`: ours, since it is we who choose by these parameters. */
export function dsaExtOf(
  { mustRender, wantsTransparency }: DsaDemand,
  company: string,
  targeting: Targeting,
  domain: string,
): string {
  const name = jsonOf(nameOf(company))
  const params = dsaParamsOf(targeting).join(',')
  const transparency = wantsTransparency
    ? `,"transparency":[{"domain":"${domain}","dsaparams":[${params}]}]`
    : ''
  return `{"dsa":{"behalf":${name},"paid":${name},"adrender":${mustRender ? 1 : 0}${transparency}}}`
}

/** What our markup shows above the image if the page shows nothing. It may not be plain. */
export function dsaLabelOf(company: string, targeting: Targeting): string {
  const name = nameOf(company)
  const why = dsaParamsOf(targeting).map(param => WORDS[param])
  const title = `Advertiser, who also pays: ${name}. Chosen by: ${why.join('; ')}.`
  return (
    `<span title='${escapeHtml(title)}' style='position:absolute;top:0;left:0;padding:0 3px;` +
    `font:10px sans-serif;color:#000;background:#fff'>Ad: ${escapeHtml(name)}</span>`
  )
}

const WORDS: Record<number, string> = {
  [PROFILING]: 'age or gender',
  [BASIC_ADVERTISING]: 'content, device and region',
  [PRECISE_GEOLOCATION]: 'position',
}

/** IAB's numbers of what the persona targets. The page, the device and the region always count. */
function dsaParamsOf({ gender, age, geo }: Targeting): number[] {
  return [
    ...(gender !== null || age !== null ? [PROFILING] : []),
    BASIC_ADVERTISING,
    ...('radius' in geo ? [PRECISE_GEOLOCATION] : []),
  ]
}

function nameOf(company: string): string {
  return company.length <= MOST_NAME_CHARS ? company : [...company].slice(0, MOST_NAME_CHARS).join('')
}

/** The markup with its label, as JSON text. */
export function labelled(markup: string, label: string): string {
  const html = label + markup
  return isPlain(html) ? `"${html}"` : JSON.stringify(html)
}
