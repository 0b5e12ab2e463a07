// The secrets for user keys, derived daily from one secret of the deployment, by its time zone. So a key links nothing
// across days, and every process of the deployment makes the same keys.

import { createHmac } from 'node:crypto'
import { createRecent } from '../../kernel/recent.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import type { DatedSecrets, UserSecrets } from '../audience/user.ts'

/** The secrets for the day of this moment. */
export type SecretsAt = (nowMs: number) => DatedSecrets

/** More than there are dates at once, and in the period of a view. */
const MOST_DATES = 128

export function userSecrets(root: Buffer, calendar: Calendar): SecretsAt {
  const byDate = createRecent<number, UserSecrets>(MOST_DATES)
  let dayKey = 0
  let secrets: DatedSecrets = { idSecret: '', dailySalt: '', on }

  function on(key: number): UserSecrets {
    const known = byDate.get(key)
    if (known) return known
    const made = { idSecret: derive(root, `id ${key}`), dailySalt: derive(root, `agent ${key}`) }
    byDate.set(key, made)
    return made
  }

  return nowMs => {
    const { key } = calendar.dayAt(nowMs)
    if (key !== dayKey) {
      dayKey = key
      secrets = { ...on(key), on }
    }
    return secrets
  }
}

function derive(root: Buffer, purpose: string): string {
  return createHmac('sha256', root).update(purpose).digest('base64url')
}
