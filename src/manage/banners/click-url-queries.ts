// What decides where the click on a banner leads, as part of a statement: what is above the banner, by three keys.

/** What `ABOVE_BANNER` selects: in the order of `NAMES_ABOVE` after the first two. */
export type AboveBanner = [
  website: string | null,
  template: string | null,
  ...names: (string | number | null)[],
]

/** Macros and their columns: of a persona `q`, its campaign `o` and its customer `u`. */
export const NAMES_ABOVE = [
  ['customer.cuid', 'u.cuid'],
  ['customer.company', 'u.company'],
  ['customer.externalId', 'u.external_id'],
  ['campaign.cid', 'o.cid'],
  ['campaign.name', 'o.name'],
  ['campaign.externalId', 'o.external_id'],
  ['persona.pid', 'q.pid'],
  ['persona.name', 'q.name'],
  ['persona.externalId', 'q.external_id'],
] as const

const COLUMNS = NAMES_ABOVE.map(([, column]) => column).join(', ')

export const ABOVE_BANNER = `(
    select jsonb_build_array(u.website, coalesce(o.click_parameters, u.click_parameters), ${COLUMNS})
    from persona q join campaign o on o.cid = q.cid join customer u on u.cuid = o.cuid where q.pid = b.pid
  )`
