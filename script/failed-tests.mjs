// Lists the files of a test run that failed, by its report, one per line, if they are few enough to try again.

import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** More than this is no accident. */
const MOST = 5

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative('.', name))
if (failed.length <= MOST) console.log(failed.join('\n'))
