// The service's own folding of names, so that tables and service agree on which names are equal. It is TypeScript,
// which vite can load in every Node version that must run these scripts.
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const file = fileURLToPath(new URL('../../src/manage/reference/fold.ts', import.meta.url))
const { module } = await runnerImport(file, { configFile: false, logLevel: 'error' })

export const foldName = module.foldName
export const foldText = module.foldText
