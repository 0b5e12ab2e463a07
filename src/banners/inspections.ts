// Inspections take turns: decoding is the one thing here that costs memory and processors, so only so many run at
// once, and the others wait in line.

import { type Inspection, inspectImage } from './creative/inspect.ts'

export type Inspect = (bytes: Buffer) => Promise<Inspection>

export function createInspections(atOnce: number): Inspect {
  const waiting: (() => void)[] = []
  let running = 0
  return async bytes => {
    if (running >= atOnce) await new Promise<void>(resolve => waiting.push(resolve))
    else running++
    try {
      return await inspectImage(bytes)
    } finally {
      // The place goes straight to the next in line, so nobody can push in between.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
