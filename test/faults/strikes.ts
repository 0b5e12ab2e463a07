// The faults that hit service, database and connections, in an order that the seed decides, until the time is over.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Random, takeAny } from './random.ts'
import type { World } from './world.ts'

const FAULTS = ['service', 'database', 'both', 'stall', 'sessions', 'clients'] as const
export type Fault = (typeof FAULTS)[number]

export interface StrikeOptions {
  world: World
  random: Random
  seconds: number
  /** Destroys every socket of the clients. */
  cutClients(): void
}

/** Returns how often each fault happened. Everything is up again when this returns. */
export async function strikeFor(options: StrikeOptions): Promise<Record<Fault, number>> {
  const { random, seconds } = options
  const struck = Object.fromEntries(FAULTS.map(fault => [fault, 0])) as Record<Fault, number>
  const bag: Fault[] = []
  for (const endMs = Date.now() + seconds * 1000; Date.now() < endMs; ) {
    await sleep(200 + random(1000))
    // Each fault once, in any order, before any is repeated.
    if (bag.length === 0) bag.push(...FAULTS)
    const fault = takeAny(bag, random)!
    await strike(fault, options)
    struck[fault]++
  }
  return struck
}

async function strike(fault: Fault, { world, random, cutClients }: StrikeOptions): Promise<void> {
  // Sometimes longer than anybody waits for an answer.
  const pauseMs = random(3) === 0 ? 1000 + random(5000) : random(600)
  switch (fault) {
    case 'service':
      await world.killService()
      await sleep(pauseMs)
      if (random(4) === 0) await killWhileStarting(world, random)
      return world.startService()
    case 'database':
      await world.killDatabase()
      await sleep(pauseMs)
      return world.startDatabase()
    case 'both':
      await Promise.all([world.killDatabase(), sleep(pauseMs).then(world.killService)])
      // As after a power cut, in any order.
      await Promise.all([world.startDatabase(), world.startService()])
      return
    case 'stall':
      return killWhileStalled(world, pauseMs)
    case 'sessions':
      return world.endSessions(random)
    default:
      return cutClients()
  }
}

async function killWhileStarting(world: World, random: Random): Promise<void> {
  const starting = world.startService().catch(() => undefined)
  await sleep(random(1500))
  await world.killService()
  await starting
}

/** The statements of the dead service are executed after the next service has started. */
async function killWhileStalled(world: World, pauseMs: number): Promise<void> {
  const goOn = await world.stallCounting()
  try {
    await sleep(200 + pauseMs)
    await world.killService()
    await world.startService()
  } finally {
    await goOn()
  }
}
