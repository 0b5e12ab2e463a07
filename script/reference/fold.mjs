// The service's own folding of names, so that the tables and the service agree on which names are the same. It is
// TypeScript, which not every Node that these scripts must run on can load; vite can.
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const file = fileURLToPath(new URL('../../src/reference/fold.ts', import.meta.url))
const { module } = await runnerImport(file, { configFile: false, logLevel: 'error' })

export const foldName = module.foldName
export const foldText = module.foldText
