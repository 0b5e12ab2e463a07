// Builds dist/ from the sources if they are newer: bundles them and copies the files that are read at run time.

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { bundle } from './bundle.mjs'

const SERVICE = {
  stamp: 'dist/.built-service',
  inputs: [
    'src',
    'bench',
    'migrations',
    'docs',
    'README.md',
    'web/docs',
    'web/shell/tokens.css',
    'package-lock.json',
    'sdk',
    'tsconfig.json',
    'script/build.mjs',
    'script/bundle.mjs',
  ],
  build: buildService,
}
/** The console depends only on the service's contracts and the client made from them. */
const CONSOLE = {
  stamp: 'dist/.built-console',
  inputs: [
    'web',
    'sdk',
    'src/kernel',
    'src/http/endpoint.ts',
    'package-lock.json',
    'script/build.mjs',
    ...contractsIn('src'),
  ],
  build: buildConsole,
}

/** What `/docs/client.tgz` gives. */
const CLIENT = {
  stamp: 'dist/.built-client',
  inputs: [
    'sdk',
    'src/kernel',
    'src/http',
    'package-lock.json',
    'LICENSE',
    'script/build.mjs',
    ...contractsIn('src'),
  ],
  build: packClient,
}

for (const part of [SERVICE, CONSOLE, CLIENT]) {
  const started = new Date()
  if (existsSync(part.stamp) && statSync(part.stamp).mtimeMs >= Math.max(...part.inputs.map(newest))) continue
  await part.build()
  writeFileSync(part.stamp, '')
  // A file edited during the build is newer than the stamp, so it is built next time.
  utimesSync(part.stamp, started, started)
}

async function buildService() {
  console.error('Building the service ...')
  for (const folder of ['dist/src', 'dist/bench', 'dist/sdk', 'dist/test', 'dist/migrations', 'dist/docs'])
    rmSync(folder, { recursive: true, force: true })
  // Types are checked by script/test.
  const programs = {
    main: 'src/main.ts',
    'image-child': 'src/service/image-child.ts',
    'parquet-thread': 'src/report/export/parquet/thread.ts',
  }
  await bundle({ programs, folder: 'dist/src', root: 'dist' })
  // The folder is missing when an image is built.
  if (existsSync('bench')) await bundle({ programs: benches(), folder: 'dist/bench', root: 'dist' })
  cpSync('migrations', 'dist/migrations', { recursive: true })
  // What /docs is made from.
  const guides = readdirSync('docs').filter(file => /\.md$|^postman\.json$/.test(file))
  for (const file of [...guides.map(name => join('docs', name)), 'README.md', 'sdk/README.md'])
    cpSync(file, join('dist', file))
  cpSync('web/docs', 'dist/docs', { recursive: true })
  cpSync('web/shell/tokens.css', 'dist/docs/tokens.css')
  copyData('src', 'dist/src')
}

function benches() {
  const names = readdirSync('bench').filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  return Object.fromEntries(names.map(name => [basename(name, '.ts'), join('bench', name)]))
}

function buildConsole() {
  console.error('Building the console ...')
  rmSync('dist/web', { recursive: true, force: true })
  const vite = [
    'node_modules/vite/bin/vite.js',
    'build',
    '--config',
    'web/vite.config.ts',
    '--logLevel',
    'warn',
  ]
  execFileSync(process.execPath, vite, { stdio: 'inherit' })
  compress('dist/web/assets')
}

/** As `npm pack` does, into a file whose name has no version. */
function packClient() {
  console.error('Packing the client ...')
  const pack = ['pack', '--silent', '--pack-destination', '../dist']
  const made = execFileSync('npm', pack, { cwd: 'sdk', encoding: 'utf8' }).trim().split('\n').at(-1)
  renameSync(join('dist', made), 'dist/client.tgz')
}

/** Done once here and not by every process, because there is time to do it well. */
function compress(folder) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10 }
  for (const name of readdirSync(folder).filter(file => /\.(js|css)$/.test(file))) {
    const path = join(folder, name)
    writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path), { params }))
  }
}

function contractsIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter(name => name.endsWith('contract.ts'))
    .map(name => join(folder, name))
}

function newest(path) {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(
    stat.mtimeMs,
    ...readdirSync(path)
      .filter(name => name !== 'node_modules' && name !== 'dist')
      .map(name => newest(join(path, name))),
  )
}

/** Data files keep their place beside the code in the build. */
function copyData(from, to) {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory() && entry.name === 'data') cpSync(source, target, { recursive: true })
    else if (entry.isDirectory()) copyData(source, target)
  }
}
