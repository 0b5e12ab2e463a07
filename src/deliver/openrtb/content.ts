// The content around the ad: the categories of site, app and content, and their names for reports.

import { categoryCode } from '../audience/category.ts'
import { domainOf, hostOf, isFit } from '../audience/page.ts'
import { type Fields, fieldsOf, listOf, textOf } from './read.ts'

const MOST_CODES = 100
const LONGEST_NAME = 253
const LONGEST_URL = 4096

export interface Content {
  categories: string[]
  site: string | null
  app: string | null
}

export function contentOf(request: Fields): Content {
  const site = fieldsOf(request.site)
  const app = fieldsOf(request.app)
  const categories: string[] = []
  addCategories(categories, site)
  addCategories(categories, app)
  return { categories, site: site && siteName(site), app: app && appName(app) }
}

function addCategories(codes: string[], fields: Fields | null): void {
  if (!fields) return
  if (isTaxonomy1(fields.cattax)) {
    addCodes(codes, fields.cat)
    addCodes(codes, fields.sectioncat)
    addCodes(codes, fields.pagecat)
  }
  const content = fieldsOf(fields.content)
  if (content && isTaxonomy1(content.cattax)) addCodes(codes, content.cat)
}

/** The codes of personas belong to taxonomy 1, which is also the default of the field. */
function isTaxonomy1(cattax: unknown): boolean {
  return typeof cattax !== 'number' || cattax === 1
}

function addCodes(codes: string[], value: unknown): void {
  const entries = listOf(value)
  if (!entries) return
  const end = Math.min(entries.length, MOST_CODES)
  for (let n = 0; n < end; n++) {
    const code = categoryCode(entries[n])
    if (code !== null && !codes.includes(code)) codes.push(code)
  }
}

function siteName(site: Fields): string | null {
  const domain = textOf(site.domain, LONGEST_NAME)
  const page = textOf(site.page, LONGEST_URL)
  return (domain && domainOf(domain)) ?? (page && hostOf(page))
}

function appName(app: Fields): string | null {
  for (const value of [app.bundle, app.name, app.id]) {
    const name = textOf(value, LONGEST_NAME)?.trim()
    if (name && isFit(name)) return name
  }
  return null
}
