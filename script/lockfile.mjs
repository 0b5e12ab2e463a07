// Completes package-lock.json after `npm install`: npm leaves out optional packages of other platforms that the
// registry in use does not have, and then `npm ci` refuses the lockfile everywhere. Their names say which platform
// they are for. They have no checksum; npm adds it where it can fetch them.

import { readFileSync, writeFileSync } from 'node:fs'

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'win32']
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x']

const path = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(path, 'utf8'))

for (const parent of Object.values({ ...lock.packages })) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`
    if (!/^\d/.test(version) || lock.packages[place]) continue
    const words = name.split('/').at(-1).split('-')
    const system = SYSTEMS.find(word => words.includes(word))
    const processor = PROCESSORS.find(word => words.includes(word))
    if (!system || !processor) throw new Error(`the lockfile lacks ${name}, which names no platform`)
    lock.packages[place] = {
      version,
      cpu: [processor],
      ...(parent.dev ? { dev: true } : {}),
      ...libcOf(system, words),
      optional: true,
      os: [system],
    }
  }
}

const places = Object.keys(lock.packages).sort((a, b) => a.localeCompare(b, 'en'))
lock.packages = Object.fromEntries(places.map(place => [place, lock.packages[place]]))
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)

function libcOf(system, words) {
  if (system !== 'linux') return {}
  if (words.some(word => word.startsWith('musl'))) return { libc: ['musl'] }
  return words.some(word => word.startsWith('gnu')) ? { libc: ['glibc'] } : {}
}
