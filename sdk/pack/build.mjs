// Builds what `npm pack` packs: endpoints and types generated from the contracts, and the client bundled as ESM and
// CJS.

import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, runnerImport } from 'vite'

const SDK = join(dirname(fileURLToPath(import.meta.url)), '..')
const ROOT = join(SDK, '..')
const DIST = join(SDK, 'dist')
const SOURCES = join(DIST, 'sources')

rmSync(DIST, { recursive: true, force: true })
mkdirSync(SOURCES, { recursive: true })
for (const name of readdirSync(SDK)) {
  if (/\.ts$/.test(name) && !/\.test\.ts$/.test(name)) copyFileSync(join(SDK, name), join(SOURCES, name))
}
writeFileSync(join(SOURCES, 'endpoints.ts'), await endpointsText())
declare()
await bundle()
rmSync(SOURCES, { recursive: true })
copyFileSync(join(ROOT, 'LICENSE'), join(DIST, 'LICENSE'))

async function endpointsText() {
  const load = async path => (await runnerImport(join(ROOT, path), { root: ROOT, logLevel: 'error' })).module
  const { moduleText } = await load('sdk/pack/types.ts')
  const { PROBLEMS } = await load('src/kernel/errors/problem.ts')
  const { STATUS_OF } = await load('src/kernel/errors/problem-code.ts')
  const { FIELD_ERRORS } = await load('src/kernel/errors/field-error.ts')
  const { FINDINGS } = await load('src/kernel/errors/finding.ts')
  const { FILE_KINDS, placesIn, VALUE_TYPES } = await load('src/kernel/errors/sentence.ts')
  const { DIMENSIONS } = await load('src/report/figures/contract.ts')
  const placesOf = sentences =>
    Object.fromEntries(Object.entries(sentences).map(([code, sentence]) => [code, placesIn(sentence)]))
  return moduleText({
    codes: Object.keys(STATUS_OF),
    problems: placesOf(
      Object.fromEntries(Object.entries(PROBLEMS).map(([reason, [, text]]) => [reason, text])),
    ),
    fieldErrors: placesOf(FIELD_ERRORS),
    findings: Object.keys(FINDINGS),
    valueTypes: VALUE_TYPES,
    fileKinds: FILE_KINDS,
    dimensions: DIMENSIONS,
  })
}

/** Written twice, because the extension in an import tells a compiler which kind of module it is. */
function declare() {
  const options =
    '--declaration --emitDeclarationOnly --strict --target ES2022 --lib ES2023,DOM,DOM.AsyncIterable'
  const more = '--module NodeNext --allowImportingTsExtensions --skipLibCheck --ignoreConfig --types'
  const args = [`${options} ${more}`.split(' '), '', '--rootDir', SOURCES, '--outDir', DIST].flat()
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, ...args, join(SOURCES, 'index.ts')], { stdio: 'inherit' })
  for (const name of readdirSync(DIST).filter(name => name.endsWith('.d.ts'))) {
    const text = readFileSync(join(DIST, name), 'utf8')
    const naming = extension => text.replace(/(['"]\.\/\w+)\.ts(['"])/g, `$1.${extension}$2`)
    writeFileSync(join(DIST, name), naming('js'))
    writeFileSync(join(DIST, name.replace(/\.d\.ts$/, '.d.cts')), naming('cjs'))
  }
}

async function bundle() {
  await build({
    root: SDK,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      outDir: DIST,
      emptyOutDir: false,
      target: 'es2022',
      minify: false,
      lib: { entry: join(SOURCES, 'index.ts'), formats: ['es', 'cjs'], fileName: 'index' },
    },
  })
  const made = readdirSync(DIST)
  if (made.includes('index.mjs')) renameSync(join(DIST, 'index.mjs'), join(DIST, 'index.js'))
}
