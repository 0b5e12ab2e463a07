// Asks before saving a daily budget that is more than ten times the customer's usual one: it may have a digit too many.

import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Confirm } from '../form/confirm.tsx'
import { money } from '../format/format.ts'
import { t } from '../words/words.ts'
import { campaignsQuery } from './data.ts'
import { isUnusual, usualBudget } from './usual-budget.ts'

interface Question {
  budget: number
  usual: number
  answer: (isMeant: boolean) => void
}

export interface Unusual {
  /** True: the budget is usual, or the reader confirmed it. `before`: the current budget. */
  isMeant: (budget: unknown, before?: number) => Promise<boolean>
  isAsking: boolean
  question: ReactNode
}

/** `action`: the text of the button that saves. */
export function useUnusual(cuid: number, action: string): Unusual {
  const client = useQueryClient()
  const [asked, setAsked] = useState<Question | null>(null)
  const isMeant = async (budget: unknown, before = 0) => {
    if (typeof budget !== 'number' || budget <= before) return true
    // Without other campaigns there is nothing to compare with.
    const campaigns = await client.fetchQuery(campaignsQuery(cuid)).catch(() => [])
    const usual = usualBudget(campaigns)
    if (usual === null || !isUnusual(budget, usual)) return true
    // A budget that is already far above the others is compared with its own old value.
    if (isUnusual(before, usual) && !isUnusual(budget, before)) return true
    return new Promise<boolean>(answer => setAsked({ budget, usual, answer }))
  }
  const answer = (isYes: boolean) => {
    asked?.answer(isYes)
    setAsked(null)
  }
  const question = (
    <Confirm
      opened={asked !== null}
      title={t('create.unusual', { budget: money(asked?.budget ?? 0) })}
      about={t('create.unusualAbout', { usual: money(asked?.usual ?? 0) })}
      action={action}
      cancel={t('create.unusualBack')}
      busy={false}
      error={null}
      onConfirm={() => answer(true)}
      onClose={() => answer(false)}
    />
  )
  return { isMeant, isAsking: asked !== null, question }
}
