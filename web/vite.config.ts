// Builds the console into dist/web. All addresses in it are relative, so that it works under any public path.
//
// A first visit loads few files: one for the sign-in, and for who is signed in one that draws the frame of all pages and
// one that draws the first page. What belongs to them is found by a first build.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { type BuildOptions, build as bundle } from 'esbuild'
import { defineConfig } from 'vite'
import { firstWords } from './first-words.ts'
import { onlyRoutes, onlyRoutesFirst, onlyStatic, withoutUnused } from './lean.ts'

const ROOT = fileURLToPath(new URL('.', import.meta.url))
const TARGET = 'es2022'
const options = {
  outDir: '../dist/web',
  emptyOutDir: true,
  target: TARGET,
  // No data: URLs for files, so that the policy of the server need not allow them for scripts.
  assetsInlineLimit: 0,
  modulePreload: { polyfill: false },
  chunkSizeWarningLimit: 900,
}
/** A shared file is named after all pages that share it; its first word is enough. */
const chunkFileNames = ({ name }: { name: string }) => `assets/${name.split('~')[0]}-[hash].js`
/** Each group has what its entry needs and the groups before it do not have. */
const GROUPS: Record<string, string[]> = {
  door: ['main.ts', 'words/error-words.ts'],
  first: ['start.tsx'],
  overview: ['overview/overview.page.tsx'],
  later: ['shell/notices.tsx', 'shell/account-items.tsx', 'form/confirm.tsx', 'session/sign-in-dialog.tsx'],
  library: [],
  parts: [
    'table/data-table.tsx',
    'table/list-panel.tsx',
    'table/small-table.tsx',
    'form/create-form.tsx',
    'form/edit-dialog.tsx',
    'form/edit-form.tsx',
    'form/delete-button.tsx',
    'form/number-field.tsx',
    'form/more-menu.tsx',
    'form/copy-button.tsx',
    'shell/page-tabs.tsx',
    'format/changes.tsx',
    'stats/subject-stats.tsx',
  ],
}

/** What else belongs to a group: with the rest of the library, pages have fewer files. */
const MORE: Record<string, RegExp> = {
  door: /preload-helper|rolldown.runtime/,
  library: /node_modules\/((@mantine|@floating-ui)\/.*\.mjs$|typebox)|\/src\/.*\.ts$/,
}

export default defineConfig(async () => {
  const { modules, code } = await splitAsItLikes()
  const groups = [
    ...modules.map(([name, needed], index) => ({
      name,
      test: (id: string) => needed.has(id) || MORE[name]?.test(id) === true,
      priority: modules.length - index,
    })),
    // None are merged: two that need each other would begin in the wrong order.
    { name: 'shared', minShareCount: 2, entriesAware: true },
  ]
  return {
    root: ROOT,
    base: './',
    plugins: [onlyRoutes, react(), firstWords],
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

/** The modules that each group needs, and all code. Its size does not matter, so the fastest build is enough. */
async function splitAsItLikes(): Promise<{ modules: [string, Set<string>][]; code: string }> {
  const options: BuildOptions = {
    absWorkingDir: ROOT,
    outdir: 'split',
    write: false,
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    target: TARGET,
    loader: { '.woff2': 'file' },
    logLevel: 'error',
  }
  const all = bundle({ ...options, entryPoints: ['main.ts'], splitting: true, plugins: [onlyRoutesFirst] })
  const modules = Object.entries(GROUPS).map(async ([name, entryPoints]): Promise<[string, Set<string>]> => {
    if (entryPoints.length === 0) return [name, new Set()]
    const { metafile } = await bundle({
      ...options,
      entryPoints,
      metafile: true,
      plugins: [onlyRoutesFirst, onlyStatic],
    })
    const inputs = Object.values(metafile!.outputs).flatMap(output => Object.entries(output.inputs))
    // Our own modules may be kept for other pages: without them here, two files would need each other.
    const used = inputs.filter(
      ([module, { bytesInOutput }]) => bytesInOutput > 0 || !/node_modules/.test(module),
    )
    return [name, new Set(used.map(([module]) => join(ROOT, module)))]
  })
  const scripts = (await all).outputFiles!.filter(({ path }) => path.endsWith('.js'))
  return { modules: await Promise.all(modules), code: scripts.map(({ text }) => text).join('\n') }
}
