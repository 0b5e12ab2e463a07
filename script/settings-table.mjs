// Renews the table of settings in docs/operating.md from the settings themselves.

import { readFileSync, writeFileSync } from 'node:fs'
import { bundle } from './bundle.mjs'

const folder = 'node_modules/.cache/marquee'
await bundle({ programs: { settings: 'src/platform/config.ts' }, folder, root: 'dist' })
const { SETTINGS } = await import(`../${folder}/settings.js`)
const rows = Object.entries(SETTINGS).map(
  ([name, setting]) =>
    `| \`${name}\`${setting.isSecret ? ` or \`${name}_FILE\`` : ''} | ${setting.shown ? `\`${setting.shown}\`` : ''} | ${setting.about} |`,
)
const path = 'docs/operating.md'
const text = readFileSync(path, 'utf8')
const table = /(\| variable \| default \| meaning \|\n\|---\|---\|---\|\n)(?:SETTINGS_TABLE\n|(?:\|.*\n)*)/
writeFileSync(path, text.replace(table, `$1${rows.join('\n')}\n`))
