// ./script/bench --against <commit> name ...: runs benches of this version and of another one by turns, in fresh
// processes and random order, and prints what each figure of this version is, as a part of that of the other.
// PAIRS=5 pairs; what a bench takes from its environment, both get.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

const PAIRS = Number(process.env.PAIRS ?? 5)
const [commit, ...names] = process.argv.slice(2)
if (!commit || names.length === 0) {
  console.error('usage: ./script/bench --against <commit> name ...')
  process.exit(2)
}
/** Words, and the number after them. */
const FIGURE = /([(a-z][^\s]*(?: [^\s\d][^\s]*)*)\s+(-?\d[\d,]*(?:\.\d+)?)/gi
/** The unit of the figure before. */
const UNIT = /^(?:[µum]?s|[kMG]?B|%|bytes)?[,)]?(?:\s+|$)/
const ours = resolve('.')
const theirs = checkOut(commit)

/** Returns the folder of the other version, built. It is kept in .cache, for the next time. */
function checkOut(wanted) {
  const sha = execFileSync('git', ['rev-parse', '--verify', `${wanted}^{commit}`], {
    encoding: 'utf8',
  }).trim()
  const folder = join(ours, '.cache', 'against', sha)
  const run = (program, ...args) => execFileSync(program, args, { cwd: folder, stdio: 'inherit' })
  if (!existsSync(folder))
    execFileSync('git', ['worktree', 'add', '--detach', folder, sha], { stdio: 'inherit' })
  const lockfile = place => readFileSync(join(place, 'package-lock.json'), 'utf8')
  if (!existsSync(join(folder, 'node_modules'))) {
    if (lockfile(folder) === lockfile(ours))
      symlinkSync(join(ours, 'node_modules'), join(folder, 'node_modules'))
    else run('npm', 'ci', '--no-audit', '--no-fund')
  }
  run('node', 'script/build.mjs')
  return folder
}

/** The figures of a bench, by the words before them: `bid on 0.4 kB   bare 1800/cpu-s` is `bid on 0.4 kB: bare`. */
function figuresOf(name, folder) {
  const { stdout, stderr, error } = spawnSync(
    process.execPath,
    ['--enable-source-maps', `dist/bench/${name}.js`],
    {
      ...{ cwd: folder, encoding: 'utf8', maxBuffer: 64e6 },
    },
  )
  const figures = new Map()
  let about = ''
  for (const line of stdout.split('\n').filter(text => !text.startsWith('{'))) {
    const [label, ...parts] = line.split(/\s{2,}/)
    if (label) about = label
    let what = ''
    for (const [at, [, words, figure]] of [...parts.join('  ').matchAll(FIGURE)].entries()) {
      const name = words.replace(UNIT, '').replace(/^\(/, '')
      if (at === 0) what = name.includes(' ') ? `${name.slice(0, name.lastIndexOf(' '))} ` : ''
      if (!name || name === 'target') continue
      figures.set(`${about}: ${at === 0 ? '' : what}${name}`, Number(figure.replaceAll(',', '')))
    }
  }
  if (error || figures.size === 0)
    throw new Error(`${name} in ${folder} has no figures\n${stdout}\n${stderr}`)
  return figures
}

for (const name of names) {
  const pairs = []
  for (let n = 1; n <= PAIRS; n++) {
    const isOursFirst = Math.random() < 0.5
    const first = figuresOf(name, isOursFirst ? ours : theirs)
    const second = figuresOf(name, isOursFirst ? theirs : ours)
    pairs.push(isOursFirst ? [first, second] : [second, first])
    console.error(`${name}: pair ${n} of ${PAIRS}`)
  }
  console.log(`${name}: this version to ${commit.slice(0, 12)}, median of ${PAIRS} pairs, least and most`)
  for (const figure of pairs[0][0].keys()) {
    const both = pairs.filter(([a, b]) => a.has(figure) && b.has(figure) && b.get(figure) !== 0)
    if (both.length === 0) continue
    const ratios = both.map(([a, b]) => a.get(figure) / b.get(figure)).toSorted((a, b) => a - b)
    const middle = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
    const [here, there] = [0, 1].map(side => middle(both.map(pair => pair[side].get(figure))))
    const [least, most] = [ratios[0], ratios.at(-1)]
    console.log(
      `  ${figure.padEnd(48)} ${String(here).padStart(9)} ${String(there).padStart(9)}   ` +
        `${middle(ratios).toFixed(3)}   ${least.toFixed(3)} to ${most.toFixed(3)}`,
    )
  }
}
