// The sign before each customer in the cockpit.

import { expect, it } from 'vitest'
import { signOf } from './sign.ts'

it('a customer that is behind its day has no tick', () => {
  expect(signOf({ level: 'ok', code: 'delivers' }).icon).toBe('check')
  for (const code of ['slow', 'very_slow'] as const) expect(signOf({ level: 'ok', code }).icon).toBe('clock')
  expect(signOf({ level: 'problem', code: 'stalled' }).icon).toBe('stop')
})
