// The service's own folding of names, so that the tables and the service agree on what is one name.
// It is TypeScript, which the Node these scripts must run on does not load by itself; vite does.
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const file = fileURLToPath(new URL('../../src/reference/fold.ts', import.meta.url))
const { module } = await runnerImport(file, { configFile: false, logLevel: 'error' })

export const foldName = module.foldName
export const foldText = module.foldText
