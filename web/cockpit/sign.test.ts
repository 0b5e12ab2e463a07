// The sign before each customer in the cockpit.

import { expect, it } from 'vitest'
import { signOf } from './sign.ts'

it('a customer that is behind its day has no tick', () => {
  expect(signOf({ level: 'ok', code: 'delivers' }).icon).toBe('check')
  expect(signOf({ level: 'ok', code: 'slow' }).icon).toBe('clock')
  expect(signOf({ level: 'warning', code: 'very_slow' }).icon).toBe('warning')
  expect(signOf({ level: 'problem', code: 'stalled' }).icon).toBe('stop')
})
