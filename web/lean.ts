// What a visitor need not load: descriptions and schemas of the contracts, and styles of components that no page uses.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin as Bundler } from 'esbuild'
import type { CSSOptions, Plugin } from 'vite'
import { routes } from '../sdk/pack/types.ts'

type Styles = NonNullable<Exclude<CSSOptions['postcss'], string | undefined>['plugins']>[number]

const ENDPOINTS = fileURLToPath(new URL('../sdk/endpoints.ts', import.meta.url))

const WEB = fileURLToPath(new URL('.', import.meta.url))
const SDK = fileURLToPath(new URL('../sdk/', import.meta.url))

/** Every name in the sources of the console and of its client, which calls some endpoints itself. */
function namesUsed(): Set<string> {
  const own = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).map(name => join(WEB, name))
  const client = readdirSync(SDK).map(name => join(SDK, name))
  const files = [...own, ...client].filter(
    file => /\.tsx?$/.test(file) && file !== ENDPOINTS && !/\.test\.ts$/.test(file),
  )
  return new Set(files.flatMap(file => readFileSync(file, 'utf8').match(/\b[A-Za-z]\w*/g) ?? []))
}

/** The client gets only the routes of the endpoints, as in its package, and only of those that the console calls. */
function usedRoutes(): string {
  const names = namesUsed()
  const used = routes().filter(({ id }) => names.has(id))
  return `export const endpoints = new Map(${JSON.stringify(used)}.map(route => [route.id, route]))`
}

/** The same for both bundlers of the console. */
export const onlyRoutes: Plugin = {
  name: 'only-routes',
  enforce: 'pre',
  load: id => (id === ENDPOINTS ? usedRoutes() : null),
}
export const onlyRoutesFirst: Bundler = {
  name: 'only-routes',
  setup({ onLoad }) {
    onLoad({ filter: /endpoints\.ts$/ }, ({ path }) =>
      path === ENDPOINTS ? { contents: usedRoutes(), loader: 'ts' } : undefined,
    )
  },
}

/** Leaves out what is loaded only when it is needed. */
export const onlyStatic: Bundler = {
  name: 'only-static',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}

/** The code that uses a component contains the names of its classes. */
const CLASS = /\.(m_[0-9a-f]+)/g

export function withoutUnused(code: string): Styles {
  const used = new Set(code.match(/\bm_[0-9a-f]+/g))
  const isUsed = (selector: string) => [...selector.matchAll(CLASS)].every(([, name]) => used.has(name!))
  return {
    postcssPlugin: 'without-unused',
    Rule(rule) {
      const kept = rule.selectors.filter(isUsed)
      if (kept.length === 0) rule.remove()
      else if (kept.length < rule.selectors.length) rule.selectors = kept
    },
  }
}
