// The secrets for user keys, derived daily from one secret of the deployment, by its time zone. So a key links nothing
// across days, and every process of the deployment makes the same keys.

import { createHmac } from 'node:crypto'
import type { Calendar } from '../kernel/day.ts'
import type { UserSecrets } from './audience/user.ts'

/** The secrets for the day of this moment. */
export type SecretsAt = (nowMs: number) => UserSecrets

export function userSecrets(root: Buffer, calendar: Calendar): SecretsAt {
  let dayKey = 0
  let secrets: UserSecrets = { idSecret: '', dailySalt: '' }
  return nowMs => {
    const { key } = calendar.dayAt(nowMs)
    if (key !== dayKey) {
      dayKey = key
      secrets = { idSecret: derive(root, `id ${key}`), dailySalt: derive(root, `agent ${key}`) }
    }
    return secrets
  }
}

function derive(root: Buffer, purpose: string): string {
  return createHmac('sha256', root).update(purpose).digest('base64url')
}
