// On which sites and apps something may be shown, and on which never: sets of domains (with their sub-domains), app
// bundles and sources, own ones and named ones. Asked for each candidate of an ad request, so nothing is allocated.

/**
 * What is stored, in the spelling that is compared: `news.example`, `app:com.example.game`, `source:2`, `list:premium`.
 */
export interface StoredSites {
  only: string[]
  not: string[]
}

export interface SiteSet {
  domains: ReadonlySet<string>
  /** In lower case. */
  apps: ReadonlySet<string>
  sources: ReadonlySet<number>
}

/** A named list. Replaced in place, so that all who name it see edits at once; null: it is gone. */
export interface NamedSites {
  set: SiteSet | null
}

/** One `only` or `not`: it holds for a request that is in any of its sets. */
export interface SiteRule {
  own: SiteSet | null
  named: readonly NamedSites[]
}

/** All of `only` must hold, and none of `not`: those of a campaign, and those of its customer. */
export interface SiteRules {
  only: readonly SiteRule[]
  not: readonly SiteRule[]
}

export const APP = 'app:'
export const SOURCE = 'source:'
export const LIST = 'list:'

/** `entries` as they are stored; those that name lists are left out. */
export function siteSetOf(entries: readonly string[]): SiteSet {
  const domains = new Set<string>()
  const apps = new Set<string>()
  const sources = new Set<number>()
  for (const entry of entries) {
    if (entry.startsWith(LIST)) continue
    if (entry.startsWith(APP)) apps.add(entry.slice(APP.length))
    else if (entry.startsWith(SOURCE)) sources.add(Number(entry.slice(SOURCE.length)))
    else domains.add(entry)
  }
  return { domains, apps, sources }
}

/** The keys of the lists that it names. */
export function listsNamedIn({ only, not }: StoredSites): string[] {
  const named = [...only, ...not].filter(entry => entry.startsWith(LIST))
  return [...new Set(named.map(entry => entry.slice(LIST.length)))]
}

/**
 * `site` in lower case, without `www.`. What is not known is in no set, so an `only` refuses it. A list that is gone
 * lets nothing through: an `only` is not met by it, and a `not` is.
 */
export function allowsSite(
  { only, not }: SiteRules,
  site: string | null,
  app: string | null,
  sourceId: number | null,
): boolean {
  for (const rule of only) if (!isIn(rule, site, app, sourceId, false)) return false
  for (const rule of not) if (isIn(rule, site, app, sourceId, true)) return false
  return true
}

function isIn(
  { own, named }: SiteRule,
  site: string | null,
  app: string | null,
  sourceId: number | null,
  ifGone: boolean,
): boolean {
  if (own !== null && has(own, site, app, sourceId)) return true
  for (const { set } of named) if (set === null ? ifGone : has(set, site, app, sourceId)) return true
  return false
}

function has(
  { domains, apps, sources }: SiteSet,
  site: string | null,
  app: string | null,
  sourceId: number | null,
): boolean {
  if (sourceId !== null && sources.has(sourceId)) return true
  if (app !== null && apps.size > 0 && apps.has(app.toLowerCase())) return true
  return site !== null && domains.size > 0 && hasDomain(domains, site)
}

function hasDomain(domains: ReadonlySet<string>, site: string): boolean {
  for (let rest = site; ; ) {
    if (domains.has(rest)) return true
    const dot = rest.indexOf('.')
    if (dot < 0) return false
    rest = rest.slice(dot + 1)
  }
}
