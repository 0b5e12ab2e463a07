// A bar that shows the progress of some work.

import { SingleBar } from 'cli-progress'

export async function withBar<T>(
  name: string,
  total: number,
  work: (bar: SingleBar) => Promise<T>,
): Promise<T> {
  const bar = new SingleBar({
    format: `${name} {bar} {percentage} %`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: false,
    noTTYOutput: true,
    notTTYSchedule: 10_000,
  })
  bar.start(total, 0)
  try {
    return await work(bar)
  } finally {
    bar.stop()
  }
}
