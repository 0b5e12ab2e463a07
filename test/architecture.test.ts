// Enforces the import table of ARCHITECTURE.md: no folder imports against its direction.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MACHINE_TIME } from './support/machine-time.ts'

/** Which folders of src/ each folder may import, in addition to itself, kernel and platform. */
const MAY_IMPORT: Record<string, string[]> = {
  kernel: [],
  platform: [],
  'embedded-postgres': [],
  'data-plane': [],
  http: ['data-plane'],
  reference: ['http'],
  access: ['http'],
  sources: ['http', 'access'],
  customers: ['http', 'access'],
  campaigns: ['http', 'access', 'reference'],
  personas: ['http', 'campaigns', 'reference'],
  banners: ['http', 'campaigns', 'personas', 'reference'],
  notes: ['http', 'access'],
  jobs: ['http'],
  orders: ['http', 'jobs', 'campaigns', 'personas', 'banners'],
  bulk: ['http'],
  undo: ['http'],
  proposals: ['http', 'access'],
  catalog: ['personas', 'sources'],
  targeting: ['personas'],
  pacing: ['catalog'],
  'click-rates': [],
  caps: [],
  shares: ['pacing'],
  ledger: ['catalog', 'pacing', 'caps', 'shares'],
  tracking: ['data-plane'],
  conversions: ['http', 'data-plane', 'tracking'],
  delivery: [
    'http',
    'data-plane',
    'catalog',
    'targeting',
    'pacing',
    'click-rates',
    'ledger',
    'caps',
    'tracking',
    'reference',
    'sources',
  ],
  reach: ['http', 'reference', 'campaigns', 'personas', 'targeting', 'delivery'],
  node: [
    'data-plane',
    'catalog',
    'targeting',
    'click-rates',
    'caps',
    'shares',
    'ledger',
    'tracking',
    'conversions',
    'delivery',
  ],
  stats: ['http', 'tracking', 'conversions', 'reference'],
  'saved-views': ['http', 'stats'],
  accounts: ['http', 'access', 'customers', 'shares', 'stats'],
  reports: ['http', 'stats'],
  issues: ['http', 'campaigns'],
  cockpit: ['http', 'issues'],
  backup: [],
  export: ['reference'],
  webhooks: ['http', 'access', 'customers', 'accounts', 'campaigns', 'banners'],
  mails: ['http', 'access', 'customers', 'campaigns', 'stats', 'saved-views'],
  console: ['http', 'access', 'customers'],
  demo: ['../sdk'],
  sandbox: [
    'http',
    'data-plane',
    'reference',
    'access',
    'sources',
    'customers',
    'campaigns',
    'banners',
    'proposals',
    'tracking',
    'accounts',
  ],
}

/** main.ts, the composition and the command line wire everything. */
const UNBOUND = ['', 'service', 'cli']

const ROOT = resolve(import.meta.dirname, '..')

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap(name => {
    if (name === 'dist' || name === 'node_modules') return []
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return filesBelow(path)
    return /\.tsx?$/.test(name) ? [path] : []
  })
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const said = [...text.matchAll(/^(?:import|export)\s[^'"]*?['"](\.[^'"]+)['"]/gm)]
  const called = [...text.matchAll(/\bimport\(\s*['"](\.[^'"]+)['"]/g)]
  return [...said, ...called].map(match => relative(join(ROOT, 'src'), resolve(dirname(file), match[1]!)))
}

/** Without types, and without what is imported only when it is needed. */
function runtimeImportsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/^(import|export) type [^'"]*['"][^'"]+['"]/gm, '')
  const said = [...text.matchAll(/^(?:import|export)\s[^'"]*?['"](\.[^'"]+)['"]/gm)]
  return said.map(match => relative(join(ROOT, 'src'), resolve(dirname(file), match[1]!)))
}

const files = filesBelow(join(ROOT, 'src')).filter(file => !file.endsWith('.test.ts'))
/** All that is written by hand: the service, the console, the client, benches, tests. */
const everywhere = ['src', 'web', 'sdk', 'bench', 'test'].flatMap(folder => filesBelow(join(ROOT, folder)))

describe('the import table', () => {
  it('every folder of src/ is in it', () => {
    const folders = readdirSync(join(ROOT, 'src')).filter(name =>
      statSync(join(ROOT, 'src', name)).isDirectory(),
    )
    expect(folders.filter(folder => !UNBOUND.includes(folder) && !(folder in MAY_IMPORT))).toEqual([])
  })

  it('nothing but main.ts stands at the top', () => {
    expect(files.map(file => relative(join(ROOT, 'src'), file)).filter(path => !path.includes('/'))).toEqual([
      'main.ts',
    ])
  })

  it.each(files.map(file => relative(join(ROOT, 'src'), file)))('%s imports only what it may', file => {
    const folder = file.includes('/') ? file.split('/')[0]! : ''
    if (UNBOUND.includes(folder)) return
    const allowed = [folder, 'kernel', ...(folder === 'kernel' ? [] : ['platform']), ...MAY_IMPORT[folder]!]
    const forbidden = importsOf(join(ROOT, 'src', file)).filter(
      target => !allowed.some(place => target === place || target.startsWith(`${place}/`)),
    )
    expect(forbidden).toEqual([])
  })

  it('allows no arrow that nothing needs', () => {
    const used = new Set(
      files.flatMap(file => {
        const folder = relative(join(ROOT, 'src'), file).split('/')[0]
        return importsOf(file).map(
          target => `${folder} → ${target.startsWith('../') ? '../sdk' : target.split('/')[0]}`,
        )
      }),
    )
    const arrows = Object.entries(MAY_IMPORT).flatMap(([folder, names]) =>
      names.map(name => `${folder} → ${name}`),
    )
    expect(arrows.filter(arrow => !used.has(arrow))).toEqual([])
  })

  it('no files import each other in a circle', () => {
    const targets = new Map(
      everywhere.map(file => [relative(join(ROOT, 'src'), file), importsOf(file)] as const),
    )
    const done = new Set<string>()
    const circles: string[] = []
    function walk(file: string, way: string[]): void {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '))
      if (way.includes(file) || done.has(file)) return
      for (const target of targets.get(file) ?? []) walk(target, [...way, file])
      done.add(file)
    }
    for (const file of targets.keys()) walk(file, [])
    expect(targets.size).toBeGreaterThan(1000)
    expect(circles).toEqual([])
  })

  it('is the table of ARCHITECTURE.md, row by row', () => {
    const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
    const rows = [...text.matchAll(/^\| `src\/([\w-]+)\/` \|[^|]*\| ([^|]*) \|$/gm)].map(
      ([, folder, cell]) => [folder!, namesIn(cell!)] as const,
    )
    const wanted = [
      ...Object.entries(MAY_IMPORT),
      ...UNBOUND.filter(Boolean).map(name => [name, ['all']] as const),
    ]
    // The last row is enforced below.
    const all = [...text.split('## Folders')[1]!.split('\n\n')[1]!.matchAll(/^\| `/gm)]
    expect(text).toContain('| `web/`, `sdk/` | the console and the typed client | `*/contract.ts` only |')
    expect(all).toHaveLength(rows.length + 1)
    // Read from top to bottom: no row imports a later one.
    const order = rows.map(([folder]) => folder)
    const up = rows.flatMap(([folder, names]) =>
      names.filter(name => order.indexOf(name) > order.indexOf(folder)).map(name => `${folder} → ${name}`),
    )
    expect(up).toEqual([])
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(
        wanted.map(([folder, names]) => [folder, names.map(name => name.replace('../', '')).toSorted()]),
      ),
    )
  })

  it('deciding opens no database and starts no work of its own, and the books know no database: a node gives them life', () => {
    const within = (...folders: string[]) =>
      files.filter(file => folders.includes(relative(join(ROOT, 'src'), file).split('/')[0]!))
    const deciding = within('delivery', 'targeting', 'pacing', 'ledger')
    expect(deciding.flatMap(importsOf).filter(target => target === 'platform/timer.ts')).toEqual([])
    expect(deciding.filter(file => /\bopenDatabase\(/.test(readFileSync(file, 'utf8')))).toEqual([])
    expect(
      within('ledger')
        .flatMap(importsOf)
        .filter(target => target.startsWith('platform/')),
    ).toEqual([])
  })

  it('the dialects are leaves: only the composition root imports them', () => {
    const dialect = /^delivery\/(openrtb|tags)\//
    const wrong = files.flatMap(file => {
      const path = relative(join(ROOT, 'src'), file)
      if (path.startsWith('service/')) return []
      return importsOf(file)
        .filter(target => dialect.test(target) && dialect.exec(path)?.[1] !== dialect.exec(target)![1])
        .map(target => `${path} → ${target}`)
    })
    expect(wrong).toEqual([])
  })

  it('images are decoded in child processes: only their parts, and the demo that draws, load the decoder', () => {
    const pathOf = (file: string) => relative(join(ROOT, 'src'), file)
    const direct = files.filter(file => /from 'sharp'/.test(readFileSync(file, 'utf8')))
    expect(direct.map(pathOf)).toEqual(['platform/images/decoder.ts'])
    const loading = new Set(['platform/images/decoder.ts'])
    for (let before = 0; before < loading.size; ) {
      before = loading.size
      for (const file of files)
        if (runtimeImportsOf(file).some(target => loading.has(target))) loading.add(pathOf(file))
    }
    expect([...loading].toSorted()).toEqual([
      'banners/creative/decode.ts',
      'banners/creative/inspect.ts',
      'cli/demonstrate.ts',
      'cli/sandbox-demo.ts',
      'console/shrink-logo.ts',
      'demo/history.ts',
      'demo/images.ts',
      'demo/world.ts',
      'platform/images/decoder.ts',
      'service/image-child.ts',
    ])
  })

  it('routes.ts is only for those who wire: the composition root, and a node for what it serves', () => {
    const wrong = files.flatMap(file => {
      const folder = relative(join(ROOT, 'src'), file).split('/')[0]!
      return importsOf(file)
        .filter(target => /(^|\/)routes\.ts$/.test(target) && !['service', 'node'].includes(folder))
        .map(target => `${relative(ROOT, file)} → ${target}`)
    })
    expect(wrong).toEqual([])
  })

  it('queries.ts is private to its folder', () => {
    const wrong = files.flatMap(file => {
      const folder = relative(join(ROOT, 'src'), dirname(file)).split('/')[0]
      return importsOf(file)
        .filter(target => /(^|\/)queries\.ts$/.test(target) && target.split('/')[0] !== folder)
        .map(target => `${relative(ROOT, file)} → ${target}`)
    })
    expect(wrong).toEqual([])
  })

  it('SQL is written only in queries.ts (and in platform, and to see whether a database answers)', () => {
    const wrong = files.filter(file => {
      const path = relative(join(ROOT, 'src'), file)
      if (
        path.startsWith('platform/') ||
        path === 'embedded-postgres/server.ts' ||
        path.endsWith('queries.ts')
      )
        return false
      return /[`'"]\s*(select |insert into |update \w+ set |delete from )/i.test(readFileSync(file, 'utf8'))
    })
    expect(wrong.map(file => relative(ROOT, file))).toEqual([])
  })

  it('a contract works in a browser: it imports no Node module', () => {
    const wrong = files
      .filter(file => file.endsWith('contract.ts'))
      .filter(file => /from 'node:|from 'fastify'/.test(readFileSync(file, 'utf8')))
    expect(wrong).toEqual([])
  })
})

describe('the console', () => {
  it('knows only the contracts of the service and the client', () => {
    const wrong = filesBelow(join(ROOT, 'web')).flatMap(file =>
      importsOf(file)
        .filter(target => !/^\.\.\/(web|sdk)(\/|$)/.test(target) && !/\/contract\.ts$/.test(target))
        .map(target => `${relative(ROOT, file)} → ${target}`),
    )
    expect(wrong).toEqual([])
  })
})

describe('the client', () => {
  it('is made only from the contracts, and runs in a browser', () => {
    const clientFiles = filesBelow(join(ROOT, 'sdk')).filter(file => !file.endsWith('.test.ts'))
    const wrong = clientFiles.flatMap(file => {
      const outside = importsOf(file).filter(
        target =>
          !target.startsWith('../sdk/') &&
          !/\/contract\.ts$|^http\/(endpoint|dry-run|failure|proposed)\.ts$/.test(target),
      )
      const packages = [...readFileSync(file, 'utf8').matchAll(/from '([^.'][^']*)'/g)].map(
        match => match[1]!,
      )
      return [...outside, ...packages.filter(name => name !== 'typebox')]
    })
    expect(wrong).toEqual([])
  })
})

describe('the house', () => {
  it('has no barrels, utils, or files over 400 lines', () => {
    const wrong = files.filter(file => {
      const name = file.split('/').at(-1)!
      return ['index.ts', 'types.ts', 'utils.ts', 'helpers.ts'].includes(name) || lines(file) > 400
    })
    expect(wrong.map(file => relative(ROOT, file))).toEqual([])
  })

  it('no comment is wider than 120 columns', () => {
    const wrong = files.flatMap(file =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(line => /^\s*(\/\/|\/?\*)/.test(line) && [...line].length > 120)
        .map(line => `${relative(ROOT, file)}: ${line}`),
    )
    expect(wrong).toEqual([])
  })

  it('addresses of clients are read in one way: Fastify would take a port for a part of them', () => {
    const reads = /\brequest\.ips?\b|x-forwarded-for/i
    // The second asks the first what a proxy would make of it; the third knows its name.
    const own = ['platform/client-address.ts', 'http/operations.ts', 'data-plane/plain-request.ts']
    const wrong = files
      .filter(file => !own.includes(relative(join(ROOT, 'src'), file)))
      .filter(file => reads.test(readFileSync(file, 'utf8').replace(/`x-forwarded-for`/g, '')))
    expect(wrong.map(file => relative(ROOT, file))).toEqual([])
  })

  it('the machine is asked for the time only where that decides nothing', () => {
    const asks =
      /\bDate\.now\b|\bperformance\.now\b|new Date\(\)|\bset(Timeout|Interval)\b|AbortSignal\.timeout/
    const asking = files.filter(file => asks.test(readFileSync(file, 'utf8')))
    expect(asking.map(file => relative(join(ROOT, 'src'), file)).toSorted()).toEqual(
      Object.keys(MACHINE_TIME).toSorted(),
    )
  })

  it('statements ask for the time by functions, which a sandbox replaces', () => {
    const words = /\b(current_date|current_time(stamp)?|localtime(stamp)?)\b/i
    // The first replaces them, where functions of migrations have them.
    const own = ['sandbox/queries.ts']
    const wrong = files
      .filter(file => !own.includes(relative(join(ROOT, 'src'), file)))
      .filter(file => words.test(readFileSync(file, 'utf8')))
    expect(wrong.map(file => relative(ROOT, file))).toEqual([])
  })

  it('every source file begins by saying what it is for', () => {
    const wrong = everywhere.filter(file => !readFileSync(file, 'utf8').startsWith('//'))
    expect(wrong.map(file => relative(ROOT, file))).toEqual([])
  })
})

/** `–`: none other than kernel and platform. */
function namesIn(cell: string): string[] {
  return cell
    .split(', ')
    .map(name => name.trim())
    .filter(name => !['–', 'nothing'].includes(name))
    .toSorted()
}

function lines(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length
}
