// Builds the programs that tests start as separate processes, once before the tests, because Node does not run
// TypeScript. The built service itself is made by script/build.mjs.

import { join } from 'node:path'
import { bundle } from '../../script/bundle.mjs'

const FOLDER = 'node_modules/.cache/marquee'

const PROGRAMS = {
  'image-child': 'src/service/image-child.ts',
  'parquet-thread': 'src/report/export/parquet/thread.ts',
  'hostile-child': 'test/support/hostile-child.ts',
  'unfit-child': 'test/support/unfit-child.ts',
  'mute-child': 'test/support/mute-child.ts',
  'joining-child': 'test/support/joining-child.ts',
  'embedded-parent': 'test/support/embedded-parent.ts',
}

export function childProgram(name: keyof typeof PROGRAMS): string {
  return join(import.meta.dirname, '../..', FOLDER, `${name}.js`)
}

export default async function buildChildPrograms(): Promise<void> {
  await bundle({ programs: PROGRAMS, folder: FOLDER, root: 'dist' })
}
