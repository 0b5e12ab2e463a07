// The version of this program: that of package.json, which is released with it.

import { readFileSync } from 'node:fs'

/** Next to `src/`, or next to the build that contains `src/`. */
const PLACES = ['../../package.json', '../../../package.json']

export const VERSION: string = read()

function read(): string {
  for (const place of PLACES) {
    try {
      return JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')).version
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return 'unknown'
}
