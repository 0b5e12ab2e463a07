// The settings of a sandbox; a part of the table of settings.

import { BadSetting, matching, optional, type Setting, text } from './setting.ts'

const sandbox: Setting<boolean> = {
  shown: 'false',
  about:
    'This deployment is a sandbox, whose clock is moved by calls: see [testing.md](testing.md). It needs an empty database of its own, which is a sandbox from then on.',
  isPlain: true,
  read: (value, env) => {
    if (!value || value === 'false') return false
    if (value !== 'true') throw new BadSetting('must be true or false')
    if (env.ROLES || (env.PROCESSES && env.PROCESSES !== '1'))
      throw new BadSetting('needs one process with all roles: leave out ROLES and PROCESSES')
    if (env.CAPS_URL) throw new BadSetting('keeps caps in its own memory: leave out CAPS_URL')
    return true
  },
}

/** In milliseconds. The range leaves room for years of history before it, and for moves of ten years after it. */
function moment(value: string): number {
  const isMoment = /^20\d\d-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(value)
  const ms = isMoment ? Date.parse(value) : Number.NaN
  // Date.parse would read 30 February as 2 March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== value.slice(0, 10))
    throw new BadSetting(
      'must be a date such as 2026-10-01, or a time such as 2026-10-01T08:00Z, from 2000 to 2099',
    )
  return ms
}

export const SANDBOX_SETTINGS = {
  SANDBOX: sandbox,
  SANDBOX_START: optional(
    'What the clock of a new sandbox says first: `2026-10-01` or `2026-10-01T08:00Z`. Without it, the time of its first start.',
    moment,
  ),
  SANDBOX_SEED: text(
    '1',
    'Chance in a new sandbox: the same seed, start and calls give the same figures.',
    matching(/^[\w.-]{1,64}$/, '1 to 64 letters, digits, dots or dashes'),
  ),
}
