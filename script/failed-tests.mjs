// Which files of a test run failed, by its report, if they are few enough to be looked at again: one per line.

import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** More of them is no accident. */
const MOST = 5

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative('.', name))
if (failed.length <= MOST) console.log(failed.join('\n'))
