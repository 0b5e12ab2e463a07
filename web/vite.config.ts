// Builds the console into dist/web. Every address in it is relative, so that it works under any public path.
//
// A first visit asks for few files: all that the first page needs is one, and what other pages need besides comes with
// them. What the first page needs is found out by a build that splits as it likes.

import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type InlineConfig } from 'vite'
import { onlyRoutes, withoutUnused } from './lean.ts'

const common = {
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [onlyRoutes(), react()],
} satisfies InlineConfig
const options = {
  outDir: '../dist/web',
  emptyOutDir: true,
  target: 'es2022',
  // No data: URLs for files: the policy of the server need not allow them for scripts.
  assetsInlineLimit: 0,
  modulePreload: { polyfill: false },
  chunkSizeWarningLimit: 900,
}
/** A smaller file is merged into another one if that adds no more than this to any page. */
const SMALL_BYTES = 8_000
const FIRST_PAGE = /overview\.page/

export default defineConfig(async () => {
  const { first, code } = await splitAsItLikes()
  const manualChunks = (id: string) => (first.has(id) ? 'first' : undefined)
  return {
    ...common,
    css: { postcss: { plugins: [withoutUnused(code)] } },
    build: { ...options, rollupOptions: { output: { manualChunks, experimentalMinChunkSize: SMALL_BYTES } } },
  }
})

/** The modules of the first page, and all code there is. */
async function splitAsItLikes(): Promise<{ first: Set<string>; code: string }> {
  const built = await build({
    ...common,
    configFile: false,
    logLevel: 'error',
    build: { ...options, write: false, minify: false },
  })
  if (Array.isArray(built) || !('output' in built)) throw new Error('one build was expected')
  const chunks = new Map(built.output.flatMap(part => (part.type === 'chunk' ? [[part.fileName, part]] : [])))
  const needed = new Set<string>()
  const need = (fileName: string) => {
    if (needed.has(fileName)) return
    needed.add(fileName)
    chunks.get(fileName)?.imports.forEach(need)
  }
  for (const { isEntry, fileName } of chunks.values()) {
    if (isEntry || FIRST_PAGE.test(fileName)) need(fileName)
  }
  const scripts = [...needed].flatMap(fileName => Object.keys(chunks.get(fileName)?.modules ?? {}))
  return {
    first: new Set(scripts.filter(id => !id.endsWith('.css') && !id.endsWith('.html'))),
    code: [...chunks.values()].map(chunk => chunk.code).join('\n'),
  }
}
