// Builds the thread that inspects images, once before the tests, because Node does not run TypeScript.

import { build } from 'vite'

export default async function buildInspectionWorker(): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: 'src/banners/creative/worker.ts',
      outDir: 'node_modules/.cache/marquee',
      emptyOutDir: false,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'inspection-worker.mjs', format: 'es' } },
    },
  })
}
