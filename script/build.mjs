// Builds dist/ from the sources, when they are newer: compiles, and copies what is read at run time.

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const INPUTS = [
  'src',
  'bench',
  'migrations',
  'web',
  'sdk',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'script/build.mjs',
]
const STAMP = 'dist/.built'

function newest(path) {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(
    stat.mtimeMs,
    ...readdirSync(path)
      .filter(name => name !== 'node_modules')
      .map(name => newest(join(path, name))),
  )
}

/** Data files beside the code keep their place in the build. */
function copyData(from, to) {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory() && entry.name === 'data') cpSync(source, target, { recursive: true })
    else if (entry.isDirectory()) copyData(source, target)
  }
}

const started = new Date()
if (existsSync(STAMP) && statSync(STAMP).mtimeMs >= Math.max(...INPUTS.map(newest))) process.exit(0)
console.error('Building ...')
rmSync('dist', { recursive: true, force: true })
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
cpSync('migrations', 'dist/migrations', { recursive: true, filter: path => !path.endsWith('.ts') })
copyData('src', 'dist/src')
if (existsSync('web/vite.config.ts')) {
  execFileSync(
    process.execPath,
    ['node_modules/vite/bin/vite.js', 'build', '--config', 'web/vite.config.ts', '--logLevel', 'warn'],
    { stdio: 'inherit' },
  )
}
writeFileSync(STAMP, '')
// What was edited while we built is newer than the stamp, and is built next time.
utimesSync(STAMP, started, started)
