// The sign beside a customer's health. Only customers that deliver as planned get a tick.

import type { Health } from '../../src/diagnose/cockpit/contract.ts'

type Sign = 'stop' | 'warning' | 'check' | 'pause' | 'clock'

const SIGNS: Record<Health['level'], Sign> = {
  problem: 'stop',
  warning: 'warning',
  ok: 'check',
  idle: 'pause',
}

export function signOf({ level, code }: Pick<Health, 'level' | 'code'>): { icon: Sign; isSlow: boolean } {
  const isSlow = code === 'slow'
  return { icon: isSlow ? 'clock' : SIGNS[level], isSlow }
}
