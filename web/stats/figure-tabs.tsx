// The six figures of the period with their change, which are also the tabs of the chart below them.

import { Skeleton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type KeyboardEvent, useRef } from 'react'
import * as format from '../format/format.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import {
  type Figures,
  type Metric,
  metricName,
  readMetric,
  shortName,
  toneOf,
  write,
  writeRound,
} from './figures.ts'
import type { Previous } from './use-figures.ts'

interface FigureTabsProps {
  /** Null while loading. */
  figures: Figures | null
  previous: Previous | undefined
  metrics: readonly Metric[]
  metric: Metric
  /** While loading, only those have their name that will be there in any case. */
  known: readonly Metric[]
  onMetric: (next: Metric) => void
  /** The id of the element that the tabs switch. */
  controls: string
}

export function FigureTabs(props: FigureTabsProps) {
  const { figures, previous, metrics, metric, known, onMetric, controls } = props
  const list = useRef<HTMLDivElement>(null)
  // On a phone, three tabs are side by side: amounts fit without cents.
  const isNarrow = useMediaQuery('(max-width: 700px)', undefined, { getInitialValueInEffect: false })
  const [nameOf, inWords] = isNarrow ? [shortName, writeRound] : [metricName, write]
  const move = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (by === 0) return
    const next = (metrics.indexOf(metric) + by + metrics.length) % metrics.length
    onMetric(metrics[next]!)
    list.current?.querySelectorAll('button')[next]?.focus()
    event.preventDefault()
  }
  return (
    <div ref={list} className="tabs" role="tablist" aria-label={t('stats.metric')} onKeyDown={move}>
      {metrics.map(name => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${controls}-${name}`}
          aria-selected={name === metric}
          aria-controls={controls}
          tabIndex={name === metric ? 0 : -1}
          onClick={() => onMetric(name)}
        >
          <span className="name trunc">
            {known.includes(name) ? (
              nameOf(name)
            ) : (
              <Skeleton component="span" display="inline-block" h={10} w={64} />
            )}
          </span>
          <span className="fig l trunc" data-metric={name}>
            {figures ? (
              inWords(name, readMetric(name, figures))
            ) : (
              <Skeleton component="span" display="block" h={18} my={4} w={84} />
            )}
          </span>
          <Delta metric={name} previous={previous} />
        </button>
      ))}
    </div>
  )
}

/** The change against the previous period, if that period had any: as much of both as is over. */
export function Delta({ metric, previous }: { metric: Metric; previous: Previous | undefined }) {
  const now = previous ? readMetric(metric, previous.soFar) : null
  const before = previous ? readMetric(metric, previous.summary) : null
  if (now === null || !before) return <span className="delta">&nbsp;</span>
  const ratio = (now - before) / before
  return (
    <span className={`delta ${toneOf(metric, now - before)}`}>
      {ratio !== 0 && <Icon name={ratio > 0 ? 'up' : 'down'} size={12} />}
      {format.roundPercent(Math.abs(ratio))}
      <span className="visually-hidden">
        {' '}
        {t(ratio < 0 ? 'stats.lessThanBefore' : 'stats.moreThanBefore')}
      </span>
    </span>
  )
}
