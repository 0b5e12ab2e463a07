// Bundles TypeScript sources into a few JavaScript files, because loading a thousand small ones took a second of each
// start. Code that several programs need is in chunks beside them. Packages stay in node_modules, except for TypeBox,
// which has four hundred files of its own.

import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { build } from 'esbuild'

const BUNDLED = /^typebox(\/|$)/

/**
 * `programs`: the sources, by the name that each gets in `folder`. `root`: a source looks for files beside it as if it
 * were compiled to the same place under this folder.
 */
export async function bundle({ programs, folder, root }) {
  await build({
    entryPoints: programs,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    // A stack trace names the source and the line, and needs no more.
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [PACKAGES, placesIn(folder, root)],
  })
}

const PACKAGES = {
  name: 'packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || BUNDLED.test(path) ? undefined : { path, external: true },
    )
  },
}

/**
 * Sets what `import.meta` says in a source. All files of a bundle are in one folder, so it would be the same for each.
 */
function placesIn(folder, root) {
  return {
    name: 'places',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        if (!text.includes('import.meta.')) return undefined
        const file = join(root, relative('.', path)).replace(/ts$/, 'js')
        // Added to the first line, so that all lines keep their numbers.
        const head = [
          "import { dirname as dirnameOf } from 'node:path'",
          "import { fileURLToPath as pathOf } from 'node:url'",
          `const metaUrl = new URL(${JSON.stringify(relative(folder, file))}, import.meta.url).href`,
          'const meta = { url: metaUrl, filename: pathOf(metaUrl), dirname: dirnameOf(pathOf(metaUrl)) }',
        ]
        return { contents: `${head.join('; ')}; ${text.replaceAll('import.meta.', 'meta.')}`, loader: 'ts' }
      })
    },
  }
}
