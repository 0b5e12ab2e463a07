// The doctor's checks of this machine: settings, Node, the data folder with its permissions and disk space, the port.

import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { openLookups } from '../../deliver/decide/lookups.ts'
import type { Config } from '../../platform/config.ts'
import { DiskFailure, mustBeWritable } from '../../platform/data-dir.ts'
import { nodeTrouble } from '../../platform/node-version.ts'
import { portTrouble } from '../port-trouble.ts'
import { error, type Finding, ok, upper, warning, wordsOf } from './finding.ts'

const GB = 1_000_000_000
const LITTLE_ROOM_BYTES = 2 * GB
const NO_ROOM_BYTES = GB / 5
const OTHERS = 0o077
export const ROOM_ADVICE = 'Free up space or use a larger disk; shorten EVENT_RETENTION to keep less.'

export function nodeFindings(version = process.versions.node): Finding[] {
  const trouble = nodeTrouble(version)
  if (!trouble) return [ok('node', `Node ${version}`)]
  return [(trouble.isTooOld ? error : warning)('node', trouble.text, trouble.advice)]
}

/** Warns about settings that are allowed but rarely intended. */
export function settingFindings(config: Config): Finding[] {
  const found: Finding[] = []
  const { hostname, protocol } = new URL(config.PUBLIC_URL)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol === 'http:' && !isLocal)
    found.push(
      warning(
        'PUBLIC_URL',
        `${config.PUBLIC_URL} is plain http: tokens and sessions can be intercepted, and https pages show no ads.`,
        'Put a proxy with a certificate in front and set PUBLIC_URL to its https address.',
      ),
    )
  if (protocol === 'https:' && config.TRUST_PROXY === null)
    found.push(
      warning(
        'TRUST_PROXY',
        "No proxy is trusted, but https ends in front of this process: all visitors appear to have the proxy's address.",
        'Set TRUST_PROXY to the address or network of the proxy, or to loopback.',
      ),
    )
  if (protocol === 'https:' && config.METRICS_TOKEN === null)
    found.push(ok('METRICS_TOKEN', 'Not set: /metrics refuses everyone while a proxy is in front.'))
  for (const name of [
    'ALLOW_QUERY_CREDENTIALS',
    'ALLOW_PRIVATE_CREATIVES',
    'ALLOW_PRIVATE_WEBHOOKS',
  ] as const)
    if (config[name])
      found.push(
        warning(name, 'It is on, but meant only for testing.', `Remove ${name} before going public.`),
      )
  if (config.PROCESSES > 1 && config.CAPS_URL === null)
    found.push(
      warning(
        'CAPS_URL',
        'Several processes deliver, but only one of them serves campaigns with a frequency cap.',
        'Set CAPS_URL to a Valkey or Redis 7 that all of them can reach.',
      ),
    )
  return found.length > 0 ? found : [ok('settings', 'All settings are valid.')]
}

export async function dataDirFindings(config: Config): Promise<Finding[]> {
  const dir = config.DATA_DIR
  try {
    await mustBeWritable(dir)
  } catch (failure) {
    const words = wordsOf(failure)
    if (failure instanceof DiskFailure) return [error('disk', upper(`${words}.`), ROOM_ADVICE)]
    return [
      error(
        'DATA_DIR',
        words,
        'Make the user that runs Marquee the owner of the folder, or set another DATA_DIR.',
      ),
    ]
  }
  const found = [await rightsOf('DATA_DIR', dir, '0700'), roomFinding('disk', dir, await freeBytes(dir))]
  const credentials = join(dir, 'credentials.json')
  if (await exists(credentials)) found.push(await rightsOf('credentials.json', credentials, '0600'))
  return found
}

export function roomFinding(check: string, where: string, free: number): Finding {
  const says = `${(free / GB).toFixed(1)} GB free in ${where}.`
  if (free < NO_ROOM_BYTES) return error(check, says, ROOM_ADVICE)
  return free < LITTLE_ROOM_BYTES ? warning(check, says, ROOM_ADVICE) : ok(check, says)
}

export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

/** No other user should have access. */
async function rightsOf(check: string, path: string, wanted: string): Promise<Finding> {
  const { mode } = await stat(path)
  const rights = (mode & 0o777).toString(8).padStart(4, '0')
  if ((mode & OTHERS) === 0) return ok(check, `${path} is accessible to its owner only.`)
  const says = `${path} has mode ${rights}: other users of this machine have access.`
  const advice = `Run: chmod ${wanted} ${path}`
  return check === 'DATA_DIR' ? warning(check, says, advice) : error(check, says, advice)
}

async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  )
}

export async function geoFindings(config: Config): Promise<Finding[]> {
  if (config.GEOIP_DB === null)
    return [
      ok(
        'GEOIP_DB',
        'Not set: addresses are located by country; cities are known only if a request names them.',
      ),
    ]
  try {
    openLookups(config.GEOIP_DB)
    return [ok('GEOIP_DB', `${config.GEOIP_DB} is readable.`)]
  } catch (failure) {
    return [
      error('GEOIP_DB', wordsOf(failure), 'Set it to a file that this user can read, or remove GEOIP_DB.'),
    ]
  }
}

/** The port is free, or used by a running Marquee. */
export async function portFindings({ HOST, PORT }: Config): Promise<Finding[]> {
  const where = `${HOST}:${PORT}`
  const failure = await listenOnce(HOST, PORT)
  if (failure === null) return [ok('port', `${where} is free.`)]
  const version = failure.code === 'EADDRINUSE' ? await versionAt(HOST, PORT) : null
  if (version !== null) return [ok('port', `Marquee ${version} is running at ${where}.`)]
  const trouble = portTrouble(failure.code, { HOST, PORT })
  if (trouble) return [error(trouble.setting, trouble.text, trouble.fix)]
  return [error('port', `${where}: ${wordsOf(failure)}`, 'Set another HOST or PORT.')]
}

function listenOnce(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', resolve)
    server.listen({ host, port }, () => server.close(() => resolve(null)))
  })
}

/** A service that listens on all addresses also listens on this one. */
const ANYWHERE: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

function versionAt(address: string, port: number): Promise<string | null> {
  const host = ANYWHERE[address] ?? address
  return new Promise(resolve => {
    const asking = get({ host, port, path: '/healthz', timeout: 3000 }, async answer => {
      try {
        const { version } = JSON.parse(Buffer.concat(await answer.toArray()).toString())
        resolve(typeof version === 'string' ? version : null)
      } catch {
        resolve(null)
      }
    })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(null))
  })
}
