// Enforces the order of ARCHITECTURE.md: no file imports from a wing to its right.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'
import { MACHINE_TIME } from './support/machine-time.ts'

/** The wings of src/, in order: a file imports only from its own wing and from wings to the left. */
const WINGS = [
  'kernel',
  'platform',
  'changes',
  'http',
  'identity',
  'manage',
  'budget',
  'count',
  'deliver',
  'report',
  'diagnose',
  'notify',
  'console',
  'sandbox',
  'service',
  'cli',
]

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

interface Measured {
  line: number
  whole: number
  /** Without the lines of the functions inside it. */
  own: number
}

/** Every function of a file, with its lines. */
function functionsOf(text: string, file: string): Measured[] {
  const { program, errors } = parseSync(file, text)
  expect(errors).toEqual([])
  const measured: Measured[] = []
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  /** Returns the lines of the functions directly inside. */
  function walk(node: unknown): number {
    if (typeof node !== 'object' || node === null) return 0
    const inside = Object.values(node).reduce((sum: number, child) => sum + walk(child), 0)
    const { type, start, end } = node as { type?: string; start: number; end: number }
    if (!/^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(type ?? '')) return inside
    const line = lineAt(start)
    const whole = lineAt(end) - line + 1
    measured.push({ line, whole, own: whole - inside })
    return whole
  }
  walk(program)
  return measured
}

describe('the order of the wings', () => {
  it('src/ has sixteen wings, and main.ts', () => {
    expect(readdirSync(join(ROOT, 'src')).toSorted()).toEqual([...WINGS, 'main.ts'].toSorted())
  })

  it('is the table of ARCHITECTURE.md', () => {
    const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
    expect([...text.matchAll(/^\| `src\/([\w-]+)\/` \|/gm)].map(match => match[1])).toEqual(WINGS)
  })

  it.each(files.map(file => relative(join(ROOT, 'src'), file)).filter(path => path.includes('/')))(
    '%s imports only from its wing and from wings to the left',
    file => {
      const place = WINGS.indexOf(file.split('/')[0]!)
      const wrong = importsOf(join(ROOT, 'src', file)).filter(target => {
        // The demo uses the service as its users do.
        if (target.startsWith('../sdk/'))
          return !file.startsWith('cli/demo') && file !== 'cli/sandbox-demo.ts'
        const wing = WINGS.indexOf(target.split('/')[0]!)
        return wing < 0 || wing > place
      })
      expect(wrong).toEqual([])
    },
  )

  it('no rooms of a wing import each other in a circle', () => {
    const roomOf = (path: string) =>
      path.split('/').length > 2 ? path.split('/').slice(0, 2).join('/') : null
    const arrows = files.flatMap(file => {
      const room = roomOf(relative(join(ROOT, 'src'), file))
      return importsOf(file)
        .map(target => [room, roomOf(target)] as const)
        .filter(([from, to]) => from && to && from !== to)
    })
    const isReached = (to: string, from: string, seen = new Set<string>()): boolean =>
      arrows.some(([one, next]) => {
        if (one !== from || seen.has(next!)) return false
        seen.add(next!)
        return next === to || isReached(to, next!, seen)
      })
    const rooms = new Set(arrows.flat().filter(room => room !== null))
    expect(rooms.size).toBeGreaterThan(40)
    expect([...rooms].filter(room => isReached(room, room))).toEqual([])
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

  it('deciding opens no database and starts no work of its own, and the books know no database: a node gives them life', () => {
    const within = (...rooms: string[]) =>
      files.filter(file => rooms.some(room => relative(join(ROOT, 'src'), file).startsWith(`${room}/`)))
    const lives = ['deliver/process/', 'deliver/catalog/', 'deliver/click-rates/', 'deliver/sample/']
    const deciding = within('deliver', 'budget/pacing', 'budget/ledger').filter(
      file => !lives.some(room => relative(join(ROOT, 'src'), file).startsWith(room)),
    )
    expect(deciding.length).toBeGreaterThan(80)
    expect(deciding.flatMap(importsOf).filter(target => target === 'platform/timer.ts')).toEqual([])
    expect(deciding.filter(file => /\bopenDatabase\(/.test(readFileSync(file, 'utf8')))).toEqual([])
    expect(
      within('budget/ledger')
        .flatMap(importsOf)
        .filter(target => target.startsWith('platform/')),
    ).toEqual([])
  })

  it('the dialects are leaves: only the composition root imports them', () => {
    const dialect = /^deliver\/(openrtb|tags)\//
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
      'cli/demo/history.ts',
      'cli/demo/images.ts',
      'cli/sandbox-demo.ts',
      'console/shrink-logo.ts',
      'manage/banners/creative/decode.ts',
      'manage/banners/creative/inspect.ts',
      'platform/images/decoder.ts',
      'service/image-child.ts',
    ])
  })

  it('the S3 client is loaded with the first call to a bucket, not with the service', () => {
    const found = (pattern: RegExp) =>
      files
        .filter(file => pattern.test(readFileSync(file, 'utf8')))
        .map(file => relative(join(ROOT, 'src'), file))
    expect(found(/^import (?!type ).*from '@aws-sdk/m)).toEqual([])
    expect(found(/await import\('@aws-sdk/)).toEqual(['platform/store/s3.ts'])
  })

  it('routes.ts is only for those who wire: the composition root, and a node for what it serves', () => {
    const wrong = files.flatMap(file => {
      const folder = relative(join(ROOT, 'src'), file).split('/')[0]!
      return importsOf(file)
        .filter(
          target =>
            /(^|\/)routes\.ts$/.test(target) && !file.includes('/deliver/process/') && folder !== 'service',
        )
        .map(target => `${relative(ROOT, file)} → ${target}`)
    })
    expect(wrong).toEqual([])
  })

  it('queries.ts is private to its folder', () => {
    const wrong = files.flatMap(file => {
      const roomOf = (folder: string) => folder.split('/').slice(0, 2).join('/')
      const room = roomOf(relative(join(ROOT, 'src'), dirname(file)))
      return importsOf(file)
        .filter(
          target =>
            /(^|\/)queries\.ts$/.test(target) && !`${roomOf(dirname(target))}/`.startsWith(`${room}/`),
        )
        .map(target => `${relative(ROOT, file)} → ${target}`)
    })
    expect(wrong).toEqual([])
  })

  it('SQL is written only in queries.ts (and in platform and changes, and to see whether a database answers)', () => {
    const wrong = files.filter(file => {
      const path = relative(join(ROOT, 'src'), file)
      if (
        /^(platform|changes)\//.test(path) ||
        path === 'platform/embedded-postgres/server.ts' ||
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

describe('the owners of tables', () => {
  const text = readFileSync(join(ROOT, 'docs/tables.md'), 'utf8')
  const named = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(match => match[1]!)
  const tables = new Map(
    [...text.matchAll(/^\| `(\w+)` \| `([\w/-]+)` \| [^|]+ \| ([^|]+) \|$/gm)].map(
      ([, table, owner, readers]) => [table!, { owner: owner!, readers: named(readers!) }] as const,
    ),
  )
  const writers = [...text.matchAll(/^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$/gm)].flatMap(([, of, rooms]) =>
    named(of!).flatMap(table => named(rooms!).map(room => `${room} → ${table}`)),
  )
  const ofAll = /^(count\/verify|sandbox|cli\/backup)\/|^manage\/customers\/erase-queries\.ts$/
  /** Rooms with the tables of others that their statements name. */
  const found = { read: new Set<string>(), written: new Set<string>() }
  for (const file of files) {
    const path = relative(join(ROOT, 'src'), file)
    if (ofAll.test(path) || !/queries\.ts$|^(platform|changes)\//.test(path)) continue
    const room = path.split('/').slice(0, -1).slice(0, 2).join('/')
    const sql = readFileSync(file, 'utf8').replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '')
    for (const [, word, table] of sql.matchAll(
      /\b(delete from|from|join|into|update(?=\s+\w+\s+(?:as\s+)?(?:\w+\s+)?set\b))\s+(?:only\s+)?(\w+)/g,
    )) {
      const { owner } = tables.get(table!) ?? {}
      if (owner === undefined || owner === room) continue
      found[word === 'from' || word === 'join' ? 'read' : 'written'].add(`${room} → ${table}`)
    }
  }

  it('each table of the migrations has one', () => {
    const folder = join(ROOT, 'migrations')
    const sql = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
    const made = sql.flatMap(one =>
      [...one.matchAll(/^\s*create (?:unlogged )?table (?:if not exists )?(\w*[a-z])\b/gim)].map(
        match => match[1]!,
      ),
    )
    // The first two became something else.
    expect([...tables.keys(), 'budget_day'].toSorted()).toEqual([...new Set(made)].toSorted())
  })

  it('only those read a table, or write one, who are named with a reason', () => {
    const read = [...tables].flatMap(([table, { readers }]) => readers.map(room => `${room} → ${table}`))
    expect([...found.read].toSorted()).toEqual(read.toSorted())
    expect([...found.written].toSorted()).toEqual(writers.toSorted())
    expect(
      text
        .split('## Who else writes')[1]!
        .split('\n')
        .filter(line => /^\| `/.test(line)).length,
    ).toBeLessThan(16)
  })
})

describe('the console', () => {
  it('knows only the contracts of the service and the client', () => {
    const wrong = filesBelow(join(ROOT, 'web'))
      .filter(file => !/\.test\.tsx?$/.test(file))
      .flatMap(file =>
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
  it('has no barrels, utils, or files over 600 lines', () => {
    const wrong = files.filter(file => {
      const name = file.split('/').at(-1)!
      return ['index.ts', 'types.ts', 'utils.ts', 'helpers.ts'].includes(name) || lines(file) > 600
    })
    expect(wrong.map(file => relative(ROOT, file))).toEqual([])
  })

  it('has no function over 70 lines of its own, and none over 160 with the functions inside it', () => {
    const sources = [...files, ...filesBelow(join(ROOT, 'web')), ...filesBelow(join(ROOT, 'sdk'))]
    const wrong = sources
      .filter(file => !/\.test\.tsx?$/.test(file))
      .flatMap(file =>
        functionsOf(readFileSync(file, 'utf8'), file)
          .filter(({ own, whole }) => own > 70 || whole > 160)
          .map(({ line, own, whole }) => `${relative(ROOT, file)}:${line}: ${own} own, ${whole} in all`),
      )
    expect(wrong).toEqual([])
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
    const own = ['platform/client-address.ts', 'service/operations.ts', 'http/lane/plain-request.ts']
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

function lines(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length
}
