// How long a batch waits for more events before it is written, since a batch costs the database as much as dozens of
// events. It waits only under traffic: if several reports were under way at the same time. Nobody notices when a pixel
// or a notice is answered, so it may wait for some time; whoever clicked waits for the shortest step at most. Steps
// grow as long as they bring more, so that callers who wait for each other's answers do not wait in vain.

/** What has gathered so far. */
export interface Gathered {
  size(): number
  /** Whether somebody waits for one of them. */
  isAwaited(): boolean
}

export interface Gather {
  /** Resolves when the batch is to be written. */
  wait(gathered: Gathered): Promise<void>
  /** Ends the wait. */
  wake(): void
  /** Something was written, and these came meanwhile; nothing is answered yet. */
  cameMeanwhile(count: number): void
  /** A batch of this size was written and answered. */
  wrote(size: number): void
}

export interface GatherOptions {
  /** A full batch waits no longer. */
  maxBatch: number
  /** The longest wait, in ms. */
  mostMs?: number
  pause: (ms: number) => Promise<unknown>
}

export const LEAST_STEP_MS = 5
const MOST_STEP_MS = 50
const MOST_MS = 100
const [LONGER, SHORTER] = [4, 2 / 3]

export function createGather({ maxBatch, mostMs = MOST_MS, pause }: GatherOptions): Gather {
  let isTraffic = false
  let came = 0
  let stepMs = LEAST_STEP_MS
  let wake = () => {}

  /** Returns whether it brought more. */
  async function step(ms: number, { size }: Gathered): Promise<boolean> {
    const before = size()
    const woken = new Promise<void>(resolve => {
      wake = resolve
    })
    await Promise.race([pause(ms), woken])
    return size() > before
  }

  return {
    async wait(gathered) {
      if (!isTraffic || gathered.size() === 0) return
      if (gathered.isAwaited()) {
        await step(LEAST_STEP_MS, gathered)
        return
      }
      for (let waitedMs = 0; waitedMs < mostMs && gathered.size() < maxBatch; ) {
        const ms = Math.min(stepMs, mostMs - waitedMs)
        const broughtMore = await step(ms, gathered)
        stepMs = broughtMore
          ? Math.min(stepMs * LONGER, MOST_STEP_MS)
          : Math.max(stepMs * SHORTER, LEAST_STEP_MS)
        if (!broughtMore || gathered.isAwaited()) return
        waitedMs += ms
      }
    },
    wake: () => wake(),
    cameMeanwhile(count) {
      came += count
    },
    wrote(size) {
      isTraffic = size > 1 || came > 0
      came = 0
    },
  }
}
