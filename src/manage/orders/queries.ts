// SQL of orders: how large a copy would be.

import type { Db } from '../../platform/database.ts'

export interface Size {
  objects: number
  /** The places of all its personas together. */
  places: number
  /** Of its texts, what each has above the first 10,000. */
  bytes: number
}

async function sizeOf(db: Db, text: string, id: number): Promise<Size> {
  return (await db.row<Size>(text, [id]))!
}

export const BYTES_AN_OBJECT = 10_000

const PLACES = `coalesce(sum(jsonb_array_length(p.geo -> 'geos')), 0)::int as places`
const above = (texts: string[]) => {
  const bytes = texts.map(text => `coalesce(octet_length(${text}::text), 0)`).join(' + ')
  return `coalesce(sum(greatest(${bytes} - ${BYTES_AN_OBJECT}, 0)), 0)`
}
const OF_PERSONAS = above(['p.geo', 'p.unknown_places', 'p.attributes', 'p.unseen_values', 'p.metadata'])
const OF_BANNERS = above(['b.creative_url', 'b.click_url', 'b.metadata'])

const banners = (where: string) => `(
    select count(*) as objects, ${OF_BANNERS} as bytes from persona p join banner b on b.pid = p.pid
    where ${where} and p.deleted_at is null and b.deleted_at is null
  ) banners`

const CAMPAIGN = `select 1 + count(p.pid) + min(banners.objects)
    + (select count(*) from flight where cid = $1 and deleted_at is null and not is_default) as objects, ${PLACES},
    (${OF_PERSONAS} + min(banners.bytes))::bigint as bytes
  from ${banners('p.cid = $1')} left join persona p on p.cid = $1 and p.deleted_at is null`

const PERSONA = `select 1 + min(banners.objects) as objects, ${PLACES},
    (${OF_PERSONAS} + min(banners.bytes))::bigint as bytes
  from ${banners('p.pid = $1')} join persona p on p.pid = $1`

/** The campaign with everything beneath it. */
export const sizeOfCampaign = (db: Db, cid: number) => sizeOf(db, CAMPAIGN, cid)
export const sizeOfPersona = (db: Db, pid: number) => sizeOf(db, PERSONA, pid)
