// How long a decision of the targeting index takes as the number of personas grows, and what updates and memory cost.
// node dist/bench/targeting.js [largest number of personas, default 100000; 1000000 for all]

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createTargetingIndex, type TargetingIndex } from '../src/deliver/targeting/index-tree.ts'
import { createPrng } from '../test/support/prng.ts'
import { createWorld, type World, withAttributes } from './targeting-world.ts'

const REQUESTS = 4000
const ROUNDS = 7
const UPDATES = 4000

interface Row {
  personas: number
  p50: number
  p99: number
}

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

/**
 * Each request is timed in every round and its fastest time is kept: a request that is slow by itself is slow each
 * time, but not one that the machine disturbed. The raw figures of all rounds are printed, too.
 */
function measure(
  index: TargetingIndex,
  world: World,
  accept: (pid: number) => boolean,
): Row & { rawP99: number; fill: number } {
  const fastest = new Float64Array(REQUESTS).fill(Number.POSITIVE_INFINITY)
  const raw = new Float64Array(REQUESTS * ROUNDS)
  const requests = Array.from({ length: REQUESTS }, () => world.request())
  let filled = 0
  for (let round = -1; round < ROUNDS; round++) {
    for (let at = 0; at < REQUESTS; at++) {
      const request = requests[at]!
      const startUs = performance.now() * 1000
      const found = index.searchBest(index.prepare(request), request.slots[0]!, accept)
      const tookUs = performance.now() * 1000 - startUs
      if (found !== null) filled++
      if (round < 0) continue
      raw[round * REQUESTS + at] = tookUs
      if (tookUs < fastest[at]!) fastest[at] = tookUs
    }
  }
  fastest.sort()
  raw.sort()
  return {
    personas: index.size,
    p50: percentile(fastest, 0.5),
    p99: percentile(fastest, 0.99),
    rawP99: percentile(raw, 0.99),
    fill: filled / (REQUESTS * (ROUNDS + 1)),
  }
}

function measureUpdates(index: TargetingIndex, world: World): string {
  const times = new Float64Array(UPDATES)
  for (let at = 0; at < UPDATES; at++) {
    const entry = world.entry(1 + Math.floor(world.random() * index.size))
    const startUs = performance.now() * 1000
    index.put(entry)
    times[at] = performance.now() * 1000 - startUs
  }
  times.sort()
  return `update p50 ${us(percentile(times, 0.5))} p99 ${us(percentile(times, 0.99))} max ${us(times[UPDATES - 1]!)}`
}

function us(value: number): string {
  return `${value.toFixed(1)} us`
}

const collectGarbage = exposeGc()

function exposeGc(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

function usedMb(): number {
  for (let round = 0; round < 3; round++) collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
}

type Said = 'nothing' | 'unsaid' | 'said'

/** `attributes`: nobody knows any; personas want them, and requests do not say them; or they do. */
function run(personas: number, samePrice: boolean, attributes: Said = 'nothing'): Row {
  const plain = createWorld(createPrng(personas))
  const attributed = attributes === 'nothing' ? plain : withAttributes(plain, createPrng(3))
  const world = { ...attributed, request: attributes === 'said' ? attributed.request : plain.request }
  const entries = Array.from({ length: personas }, (_, at) => world.entry(at + 1))
  if (samePrice) for (const entry of entries) entry.priceMicros = 2_000_000
  const beforeMb = usedMb()
  const index = createTargetingIndex(createPrng(1))
  const startMs = performance.now()
  for (const entry of entries) index.put(entry)
  const buildS = (performance.now() - startMs) / 1000
  const memoryMb = usedMb() - beforeMb
  const everyone = measure(index, world, () => true)
  // Most are refused, as when budgets are paced, so the walk gets further down.
  const oneInTen = measure(index, world, pid => (pid * 2_654_435_761) % 1000 < 100)
  console.log(
    `${personas.toLocaleString('en')} personas${samePrice ? ', all at one price' : ''}${SAID[attributes]}`,
  )
  console.log(
    `  decision p50 ${us(everyone.p50)} p99 ${us(everyone.p99)} (raw p99 ${us(everyone.rawP99)}, filled ${(everyone.fill * 100).toFixed(0)} %)`,
  )
  console.log(
    `  nine of ten refused: p50 ${us(oneInTen.p50)} p99 ${us(oneInTen.p99)} (raw p99 ${us(oneInTen.rawP99)})`,
  )
  console.log(`  ${measureUpdates(index, world)}`)
  console.log(
    `  build ${buildS.toFixed(2)} s, index ${memoryMb.toFixed(0)} MB, ${JSON.stringify(index.stats())}`,
  )
  return everyone
}

const SAID: Record<Said, string> = {
  nothing: '',
  unsaid: ', attributes that requests do not say',
  said: ', ten attributes that requests say',
}

/** All personas are in one bucket and none matches: block summaries are made for this case. */
function runCrowd(personas: number): Row {
  const world = createWorld(createPrng(5))
  const index = createTargetingIndex(createPrng(1))
  const only = (gender: 'male' | 'female') => ({
    male: gender === 'male',
    female: gender === 'female',
    unknown: false,
  })
  const startMs = performance.now()
  for (let pid = 1; pid <= personas; pid++) {
    const entry = world.entry(pid)
    const odd = pid % 2 === 1
    entry.targeting = {
      geo: { places: [{ country: 'US' }] },
      cat: [],
      device: { mobile: odd, tablet: odd, desktop: !odd },
      gender: only(odd ? 'female' : 'male'),
      age: null,
    }
    entry.sizes = [{ width: 300, height: 250 }]
    index.put(entry)
  }
  const buildS = (performance.now() - startMs) / 1000
  const request = { ...world.request(), country: 'US', device: 'desktop' as const, gender: 'female' as const }
  const slot = { ...request.slots[0]!, sizes: [{ width: 300, height: 250 }], floorMicros: 0 }
  const times = new Float64Array(2000)
  for (let at = 0; at < times.length; at++) {
    const startUs = performance.now() * 1000
    index.searchBest(index.prepare(request), slot, () => true)
    times[at] = performance.now() * 1000 - startUs
  }
  times.sort()
  const row = { personas, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
  console.log(`${personas.toLocaleString('en')} in one bucket, none fits`)
  console.log(`  decision p50 ${us(row.p50)}, build ${buildS.toFixed(2)} s`)
  return row
}

/** Runs each case in its own process, without the garbage of the previous one and with code compiled for it alone. */
function inOwnProcess(...args: (string | number)[]): Row {
  const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  if (child.status !== 0) throw new Error(`the case ${args.join(' ')} failed`)
  const lines = child.stdout.trimEnd().split('\n')
  const row = JSON.parse(lines.pop()!) as Row
  console.log(lines.join('\n'))
  return row
}

function runAll(largest: number): void {
  const sizes = [1_000, 10_000, 100_000, 1_000_000].filter(personas => personas <= largest)
  const rows = sizes.map(personas => inOwnProcess('spread', personas))
  const first = rows[0]
  const last = rows.at(-1)
  if (first !== undefined && last !== undefined) {
    const growth = (a: number, b: number) => `x${(b / a).toFixed(1)}`
    const sizesOf = `${first.personas.toLocaleString('en')} -> ${last.personas.toLocaleString('en')}`
    console.log(`growth ${sizesOf}: p50 ${growth(first.p50, last.p50)}, p99 ${growth(first.p99, last.p99)}`)
  }
  const most = Math.min(largest, 100_000)
  const [without, unsaid, said] = ['spread', 'unsaid', 'said'].map(name => inOwnProcess(name, most).p50)
  const ratio = (us: number) => `x${(us / without!).toFixed(2)}`
  console.log(`attributes: p50 ${ratio(said!)} where requests say them, ${ratio(unsaid!)} where they do not`)
  inOwnProcess('tied', most)
  inOwnProcess('crowd', Math.min(largest, 100_000))
}

const [kind = '100000', personas = '100000'] = process.argv.slice(2)
if (kind === 'spread') console.log(JSON.stringify(run(Number(personas), false)))
else if (kind === 'said' || kind === 'unsaid') console.log(JSON.stringify(run(Number(personas), false, kind)))
else if (kind === 'tied') console.log(JSON.stringify(run(Number(personas), true)))
else if (kind === 'crowd') console.log(JSON.stringify(runCrowd(Number(personas))))
else runAll(Number(kind))
