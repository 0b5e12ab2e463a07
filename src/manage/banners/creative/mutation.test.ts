// Damages complete images at random and checks that no walker throws, hangs or reports nonsense about them. SEED
// replays a run; MUTATIONS makes it longer.

import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import * as made from '../../../../test/support/image-samples.ts'
import { imageTypeOf } from '../../../platform/images/type.ts'
import { walkGif } from './gif.ts'
import { INSPECT_LIMITS, inspectImage } from './inspect.ts'
import type { Inspection } from './inspection.ts'
import { walkJpeg } from './jpeg.ts'
import { walkPng } from './png.ts'
import { withoutMetadata } from './strip.ts'
import { animationOf, type Walked } from './walk.ts'
import { walkWebp } from './webp.ts'

const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const MUTATIONS = Number(process.env.MUTATIONS ?? 20_000)
const DECODED_MUTATIONS = Math.ceil(MUTATIONS / 50)
console.info(`mutation.test: SEED=${SEED} MUTATIONS=${MUTATIONS}`)

const LIMITS = { ...INSPECT_LIMITS, isSize: () => true }

type Random = (below: number) => number

function seeded(seed: number): Random {
  let state = seed >>> 0
  return below => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const TELLING_BYTES = [0x00, 0x01, 0x21, 0x2c, 0x3b, 0x7f, 0x80, 0xd9, 0xda, 0xff]

/** Makes one to six changes: replaces bytes, cuts out, repeats or fills pieces, or cuts off the end. */
function mutate(original: Buffer, random: Random): Buffer {
  let bytes = Buffer.from(original)
  for (let changes = 1 + random(6); changes > 0 && bytes.length > 0; changes--) {
    const at = random(bytes.length)
    const until = Math.min(bytes.length, at + 1 + random(20))
    switch (random(7)) {
      case 0:
        bytes[at] = random(256)
        break
      case 1:
        bytes[at] = TELLING_BYTES[random(TELLING_BYTES.length)]!
        break
      case 2:
        // The beginning of a file is where most of its meaning is.
        bytes[random(Math.min(64, bytes.length))] = random(256)
        break
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(until)])
        break
      case 4:
        bytes = Buffer.concat([bytes.subarray(0, until), bytes.subarray(at)])
        break
      case 5:
        bytes.fill(TELLING_BYTES[random(TELLING_BYTES.length)]!, at, until)
        break
      default:
        bytes = bytes.subarray(0, at)
    }
  }
  return bytes
}

async function originals(): Promise<[name: string, bytes: Buffer, walk: (bytes: Buffer) => Walked][]> {
  const motion = { width: 9, height: 7, delays: [20, 30, 40], loop: 2 }
  return [
    ['jpeg', await made.still('jpeg', 24, 16), walkJpeg],
    ['png', await made.still('png', 9, 7), walkPng],
    ['apng', made.animatedPng(motion), walkPng],
    ['gif', made.animatedGif(motion), walkGif],
    ['webp', await made.still('webp', 24, 16), walkWebp],
    ['animated webp', await made.animatedWebp(motion), walkWebp],
  ]
}

function expectSense(walked: Walked, bytes: Buffer, which: string): void {
  const animation = animationOf(walked)
  const sane =
    Number.isInteger(walked.width) &&
    Number.isInteger(walked.height) &&
    walked.delaysMs.length <= bytes.length &&
    (animation === null || (animation.playMs > 0 && animation.framesPerSecond > 0)) &&
    (walked.faults.length > 0 || (walked.width > 0 && walked.height > 0 && walked.delaysMs.length > 0))
  if (!sane) expect(walked, which).toBe('a walk that makes sense')
}

/** What is left has no fault either, and a second time nothing is left to remove. */
function expectSameWithoutMetadata(
  bytes: Buffer,
  walk: (bytes: Buffer) => Walked,
  before: Walked,
  which: string,
): void {
  const type = imageTypeOf(bytes)
  if (type === null) return
  for (const orientation of [1, 6]) {
    const stripped = withoutMetadata(bytes, type, orientation)
    const { width, height, delaysMs, faults } = walk(stripped)
    const after = { width, height, delaysMs, faults }
    const wanted = { width: before.width, height: before.height, delaysMs: before.delaysMs, faults: [] }
    if (!isDeepStrictEqual(after, wanted)) expect(after, which).toEqual(wanted)
    if (!withoutMetadata(stripped, type, orientation).equals(stripped)) expect(which).toBe('the same twice')
  }
}

describe(`damaged images, SEED=${SEED}`, () => {
  test('no walker throws, hangs or contradicts itself', async () => {
    const random = seeded(SEED)
    const samples = await originals()
    let refused = 0
    for (let run = 0; run < MUTATIONS; run++) {
      const [name, original, walk] = samples[run % samples.length]!
      const bytes = mutate(original, random)
      const walked = walk(bytes)
      if (walked.faults.length > 0) refused++
      else expectSameWithoutMetadata(bytes, walk, walked, `${name}, run ${run}, SEED=${SEED}`)
      expectSense(walked, bytes, `${name}, run ${run}, SEED=${SEED}`)
    }
    expect(refused).toBeGreaterThan(MUTATIONS / 10)
  })

  test('no inspection throws, and one without faults has a type and a size', async () => {
    const random = seeded(SEED + 1)
    const samples = await originals()
    for (let run = 0; run < DECODED_MUTATIONS; run++) {
      const [name, original] = samples[run % samples.length]!
      const found: Inspection = await inspectImage(mutate(original, random), LIMITS)
      const whole = found.faults.length === 0
      const read = found.type !== null && found.width !== null && found.height !== null
      expect(!whole || read, `${name}, run ${run}, SEED=${SEED}`).toBe(true)
    }
  })

  test('an animation with shuffled blocks is still read to its end', () => {
    const random = seeded(SEED + 2)
    const blocks = [
      made.gifLoop(0),
      made.gifLoop(3),
      made.gifDelay(5),
      made.gifFrame(0, 0, 3, 3),
      Buffer.from([0x3b]),
    ]
    for (let run = 0; run < MUTATIONS / 20; run++) {
      const chosen = Array.from({ length: random(12) }, () => blocks[random(blocks.length)]!)
      const bytes = made.gifOf(3, 3, chosen)
      expectSense(walkGif(bytes), bytes, `run ${run}, SEED=${SEED}`)
    }
  })
})
