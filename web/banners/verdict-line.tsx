// Says in plain words which banner of a group is ahead. Once that is settled, the other can be paused at once.

import { Button } from '@mantine/core'
import { integer, percent } from '../format/format.ts'
import { useMay } from '../session/may.ts'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'
import { useSwitchBanners } from './data.ts'
import type { Measure, Rated } from './groups.ts'
import { MIN_IMPS, rateOf, type Verdict } from './verdict.ts'

interface VerdictLineProps {
  cuid: number
  verdict: Verdict<Rated>
  by: Measure
  /** How many are compared. */
  count: number
}

export function VerdictLine({ cuid, verdict, by, count }: VerdictLineProps) {
  return (
    <div className="verdict">
      <p>
        <b>{headOf(verdict)}</b> {sentenceOf(verdict, by, count)}
      </p>
      {verdict.kind === 'settled' && <PauseSecond cuid={cuid} banner={verdict.second} />}
    </div>
  )
}

function headOf(verdict: Verdict<Rated>): string {
  if (verdict.kind === 'ahead' || verdict.kind === 'settled') {
    return t('verdict.head', { name: verdict.best.banner.name })
  }
  return t(`verdict.${verdict.kind}Head`)
}

const CLICKED = ['verdict.rates', 'verdict.ratesOf'] as const
const SOLD = ['verdict.ratesActions', 'verdict.ratesActionsOf'] as const

/** The highest certainty shown: nobody is ever completely sure. */
const MOST = 0.99

function sentenceOf(verdict: Verdict<Rated>, by: Measure, count: number): string {
  if (verdict.kind === 'early') return t('verdict.early', { imps: MIN_IMPS })
  if (verdict.kind === 'silent') return t('verdict.silent')
  const { best, second } = verdict
  const [first, then] = [percent(rateOf(best)), percent(rateOf(second))]
  const names = { best: best.banner.name, second: second.banner.name }
  if (verdict.kind === 'level')
    return t(by === 'clicks' ? 'verdict.level' : 'verdict.levelActions', { ...names, first, then })
  const [two, many] = by === 'clicks' ? CLICKED : SOLD
  const rates = t(count > 2 ? many : two, { first, then, name: names.second })
  const sure = percentOf(Math.min(verdict.sure, MOST))
  if (verdict.kind === 'settled') {
    return `${rates} ${verdict.sure > MOST ? t('verdict.certain', { sure }) : t('verdict.settled', { sure })}`
  }
  if (verdict.more === null) return `${rates} ${t('verdict.far', { sure })}`
  return `${rates} ${t('verdict.more', { sure, more: integer(verdict.more) })}`
}

/** Rounded down: 94.9 percent is not yet 95. */
const percentOf = (share: number) => percentRound(Math.floor(share * 100) / 100)
const percentRound = (share: number) => percent(share).replace(/[.,]00(?=\D|$)/, '')

function PauseSecond({ cuid, banner: { banner } }: { cuid: number; banner: Rated }) {
  const { cid, pid, bid, name } = banner
  const switching = useSwitchBanners(cuid, cid, pid)
  const notice = useNotice()
  const may = useMay()
  if (!may.pause) return null
  const to = (enabled: boolean, onSuccess: () => void) =>
    switching.mutate({ bids: [bid], enabled }, { onSuccess, onError: notice.refused })
  const pause = () =>
    to(false, () => {
      if (may.edit) notice.undo(t('verdict.paused', { name }), () => to(true, () => {}))
      else notice.done(t('verdict.paused', { name }))
    })
  return (
    <Button
      variant="default"
      // What it does stands after the name in some languages: nothing is cut off on a phone.
      maw="100%"
      h="auto"
      mih="var(--control)"
      styles={{ label: { whiteSpace: 'normal' } }}
      loading={switching.isPending}
      onClick={pause}
    >
      {t('verdict.pause', { name })}
    </Button>
  )
}
