// Renews the table of settings in docs/operating.md from the settings themselves (after a build).

import { readFileSync, writeFileSync } from 'node:fs'

const { SETTINGS } = await import('../dist/src/platform/config.js')
const rows = Object.entries(SETTINGS).map(
  ([name, setting]) => `| \`${name}\` | ${setting.shown ? `\`${setting.shown}\`` : ''} | ${setting.about} |`,
)
const path = 'docs/operating.md'
const text = readFileSync(path, 'utf8')
const table = /(\| variable \| default \| meaning \|\n\|---\|---\|---\|\n)(?:SETTINGS_TABLE\n|(?:\|.*\n)*)/
writeFileSync(path, text.replace(table, `$1${rows.join('\n')}\n`))
