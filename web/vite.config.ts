// Builds the console into dist/web. All addresses in it are relative, so that it works under any public path.
//
// A first visit loads few files: one has everything that the first page needs. What that is, is found by a first build
// that splits the code freely.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build as bundle } from 'esbuild'
import { defineConfig } from 'vite'
import { onlyRoutes, onlyRoutesFirst, withoutUnused } from './lean.ts'

const ROOT = fileURLToPath(new URL('.', import.meta.url))
const options = {
  outDir: '../dist/web',
  emptyOutDir: true,
  target: 'es2022',
  // No data: URLs for files, so that the policy of the server need not allow them for scripts.
  assetsInlineLimit: 0,
  modulePreload: { polyfill: false },
  chunkSizeWarningLimit: 900,
}
/** A smaller file of source that several pages share is merged into the one whose pages are most alike. */
const SMALL_BYTES = 24_000
/** A shared file is named after all pages that share it; its first word is enough. */
const chunkFileNames = ({ name }: { name: string }) => `assets/${name.split('~')[0]}-[hash].js`
const FIRST_PAGE = /overview\.page/

export default defineConfig(async () => {
  const { first, code } = await splitAsItLikes()
  const groups = [
    { name: 'first', test: (id: string) => first.has(id), priority: 1 },
    { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: SMALL_BYTES },
  ]
  return {
    root: ROOT,
    base: './',
    plugins: [onlyRoutes, react()],
    css: { postcss: { plugins: [withoutUnused(code)] } },
    build: {
      ...options,
      rolldownOptions: {
        checks: { bundlerTimings: false },
        output: { codeSplitting: { groups }, chunkFileNames },
      },
    },
  }
})

/** The modules of the first page, and all code. Its size does not matter, so the fastest build is enough. */
async function splitAsItLikes(): Promise<{ first: Set<string>; code: string }> {
  const { metafile, outputFiles } = await bundle({
    absWorkingDir: ROOT,
    entryPoints: ['main.tsx'],
    outdir: 'split',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    target: options.target,
    loader: { '.woff2': 'file' },
    logLevel: 'error',
    plugins: [onlyRoutesFirst],
  })
  const { outputs } = metafile
  const needed = new Set<string>()
  const need = (file: string) => {
    if (needed.has(file)) return
    needed.add(file)
    for (const { path, kind } of outputs[file]!.imports) if (kind === 'import-statement') need(path)
  }
  for (const [file, { entryPoint = '' }] of Object.entries(outputs))
    if (entryPoint === 'main.tsx' || FIRST_PAGE.test(entryPoint)) need(file)
  const modules = [...needed].flatMap(file => Object.keys(outputs[file]!.inputs))
  const scripts = outputFiles.filter(({ path }) => path.endsWith('.js'))
  return {
    first: new Set(modules.map(module => join(ROOT, module))),
    code: scripts.map(({ text }) => text).join('\n'),
  }
}
