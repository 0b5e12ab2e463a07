// The best banners of a period: by return on spend where conversions have values, otherwise by click rate. Only banners
// that were shown often enough: two impressions and a click are no success.

export interface Counted {
  /** The id of the banner; not given for a sum. */
  id?: number | undefined
  deleted?: boolean | undefined
  imps: number
  spend: number
  value: number
  ctr: number
}

export type Best<Row extends Counted> = Row & { id: number }

const MIN_IMPS = 100
const SHOWN = 4

export function bestOf<Row extends Counted>(rows: readonly Row[], isWorth: boolean): Best<Row>[] {
  const rank = ({ spend, value, ctr }: Counted) => (!isWorth ? ctr : spend > 0 ? value / spend : 0)
  return rows
    .filter((row): row is Best<Row> => row.id !== undefined && !row.deleted && row.imps >= MIN_IMPS)
    .filter(row => rank(row) > 0)
    .toSorted((a, b) => rank(b) - rank(a) || b.imps - a.imps)
    .slice(0, SHOWN)
}
