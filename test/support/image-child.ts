// Builds the child process that reads images, and one that misbehaves, once before the tests, because Node does not run
// TypeScript.

import { build } from 'vite'

export const HOSTILE_CHILD = new URL('../../node_modules/.cache/marquee/hostile-child.mjs', import.meta.url)

export default async function buildImageChildren(): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: true,
      outDir: 'node_modules/.cache/marquee',
      emptyOutDir: false,
      target: 'node20',
      rollupOptions: {
        input: {
          'image-child': 'src/service/image-child.ts',
          'hostile-child': 'test/support/hostile-child.ts',
        },
        output: { entryFileNames: '[name].mjs', format: 'es' },
      },
    },
  })
}
