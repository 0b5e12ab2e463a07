// The system call filter of a systemd unit, to run a program under it where no systemd runs.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Set → its calls and other sets. `@default` is in every list of what is allowed. */
function setsOfCalls(): Map<string, string[]> {
  const text = execFileSync('systemd-analyze', ['syscall-filter'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const sets = new Map<string, string[]>()
  for (const part of text.split(/^(?=@)/m)) {
    const [name, ...lines] = part.split('\n')
    sets.set(
      name!.trim(),
      lines.map(line => line.trim()).filter(line => line && !line.startsWith('#')),
    )
  }
  return sets
}

const valuesOf = (unit: string, directive: string) =>
  [...unit.matchAll(new RegExp(`^${directive}=(.*)$`, 'gm'))].map(([, value]) => value!.trim())

/** The words before a program that runs it under the filters of `unit`, the text of a unit file. */
export function underFilterOf(unit: string): string[] {
  const sets = setsOfCalls()
  const callsIn = (name: string): string[] =>
    name.startsWith('@') ? sets.get(name)!.flatMap(callsIn) : [name]
  const allowed = new Set(callsIn('@default'))
  for (const value of valuesOf(unit, 'SystemCallFilter')) {
    const isForbidden = value.startsWith('~')
    for (const call of value.replace('~', '').split(/\s+/).flatMap(callsIn))
      if (isForbidden) allowed.delete(call)
      else allowed.add(call)
  }
  const names = join(tmpdir(), `marquee-calls-${process.pid}-${allowed.size}`)
  writeFileSync(names, [...allowed].join('\n'))
  const error = valuesOf(unit, 'SystemCallErrorNumber').at(-1) as keyof typeof constants.errno | undefined
  const refusal = error ? String(constants.errno[error]) : 'kill'
  const families = valuesOf(unit, 'RestrictAddressFamilies').at(-1)!.split(/\s+/).join(',')
  return ['python3', join(import.meta.dirname, 'system-call-filter.py'), refusal, names, families]
}
