// Groups banners that can be compared: those of one persona and one size. Large banners are clicked more often than
// small ones, and some audiences click more than others, whatever the picture shows.

import { goalOf } from '../../src/manage/personas/contract.ts'
import type { Figures } from '../stats/figures.ts'
import { type Banner, sizeOf } from './data.ts'
import { type Counted, type Verdict, verdictOf } from './verdict.ts'

/** `clicks` are those, or conversions, by what they are compared. */
export interface Rated extends Counted {
  banner: Banner
  figures: Figures
}

export interface Group {
  pid: number
  size: string
  /** Most impressions first. */
  banners: Rated[]
  /** Null: there is nothing to compare. */
  verdict: Verdict<Rated> | null
  /** How many of them are compared: those that can be shown. */
  compared: number
  /** What they are compared by, as delivery does where it takes the best. */
  by: Measure
}

export type Measure = 'clicks' | 'actions'

const canBeShown = ({ banner }: Rated) => banner.enabled && banner.status === 'approved'
const impsOf = ({ banners }: Group) => banners.reduce((sum, { imps }) => sum + imps, 0)

/** The group with the most impressions first. `figuresOf` returns null while the figures load. */
export function groupsOf(banners: readonly Banner[], figuresOf: (bid: number) => Figures | null): Group[] {
  const found = new Map<string, Rated[]>()
  for (const banner of banners) {
    const figures = figuresOf(banner.bid)
    if (!figures) continue
    const key = `${banner.pid} ${sizeOf(banner)}`
    const group = found.get(key) ?? []
    group.push({ banner, figures, imps: figures.imps, clicks: figures.clicks })
    found.set(key, group)
  }
  return [...found.values()].map(toGroup).sort((a, b) => impsOf(b) - impsOf(a))
}

function toGroup(members: Rated[]): Group {
  const { banner } = members[0]!
  const goal = goalOf(members.filter(canBeShown).map(({ figures }) => figures))
  const by: Measure = goal === 'clicks' ? 'clicks' : 'actions'
  for (const one of members) one.clicks = one.figures[by]
  const shown = members.filter(canBeShown)
  const found = verdictOf(shown)
  const verdict = goal === 'value' ? unlessWorthLess(found, shown) : found
  const leader = leaderOf(verdict)
  const first = (one: Rated) => Number(one !== leader)
  const banners = members.toSorted(
    (a, b) => first(a) - first(b) || Number(b.banner.enabled) - Number(a.banner.enabled) || b.imps - a.imps,
  )
  return { pid: banner.pid, size: sizeOf(banner), banners, verdict, compared: shown.length, by }
}

/** Who sells more often does not lead if another brings more. */
function unlessWorthLess(verdict: Verdict<Rated> | null, shown: readonly Rated[]): Verdict<Rated> | null {
  if (verdict?.kind !== 'ahead' && verdict?.kind !== 'settled') return verdict
  const { best, second } = verdict
  const worth = ({ figures, imps }: Rated) => (imps > 0 ? figures.value / imps : 0)
  return shown.some(one => worth(one) > worth(best)) ? { kind: 'level', best, second } : verdict
}

/** Null: nobody leads. */
export function leaderOf(verdict: Verdict<Rated> | null): Rated | null {
  return verdict && (verdict.kind === 'ahead' || verdict.kind === 'settled') ? verdict.best : null
}
