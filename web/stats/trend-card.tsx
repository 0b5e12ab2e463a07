// What the chart knows about one bucket: beside the pointer, never under it.

import { change, shortDay } from '../format/format.ts'
import type { Note } from '../notes/data.ts'
import { t } from '../words/words.ts'
import { type Bucket, type Metric, metricName, readMetric, toneOf, write } from './figures.ts'

interface TrendCardProps {
  bucket: Bucket
  before: Bucket | undefined
  metrics: readonly Metric[]
  title: string
  tz: string
  isOpen: boolean
  until: string | undefined
  notes: readonly Note[]
  /** How to add a note. */
  hint: string | null
  /** The position of the bucket, and the width that decides on which side the card is. */
  x: number
  width: number
}

/** Beyond this part of the width, the card is on the left. */
const FLIPS_AT = 0.62
const GAP_PX = 14

export function TrendCard(props: TrendCardProps) {
  const { bucket, before, metrics, title, tz, isOpen, until, notes, hint, x, width } = props
  const side = x < width * FLIPS_AT ? { left: x + GAP_PX } : { right: width - x + GAP_PX }
  const [main, ...rest] = metrics as [Metric, ...Metric[]]
  return (
    <div className="hovercard" style={side}>
      <b>{isOpen ? `${title}, ${t('stats.unfinished')}` : title}</b>
      <dl>
        <Line mark={`line m-${main}`} name={metricName(main)} value={write(main, readMetric(main, bucket))} />
        {before && (
          <Line
            mark="prev"
            name={
              isOpen && until
                ? t('stats.until', { day: shortDay(before.date, tz), time: until })
                : shortDay(before.date, tz)
            }
            value={write(main, readMetric(main, before))}
            change={isOpen ? null : changeOf(main, bucket, before)}
            tone={toneOf(main, (readMetric(main, bucket) ?? 0) - (readMetric(main, before) ?? 0))}
          />
        )}
        {rest.map((metric, index) => (
          <Line
            key={metric}
            mark={index === 0 ? `bar m-${metric}` : 'none'}
            name={metricName(metric)}
            value={write(metric, readMetric(metric, bucket))}
          />
        ))}
      </dl>
      {notes.map(({ nid, text }) => (
        <p key={nid}>{text}</p>
      ))}
      {hint && <p className="hint">{hint}</p>}
    </div>
  )
}

function changeOf(metric: Metric, now: Bucket, before: Bucket): number | null {
  const [value, old] = [readMetric(metric, now), readMetric(metric, before)]
  return value === null || !old ? null : (value - old) / old
}

interface LineProps {
  mark: string
  name: string
  value: string
  change?: number | null
  tone?: string
}

function Line({ mark, name, value, change: ratio = null, tone = 'flat' }: LineProps) {
  return (
    <div>
      <dt>
        <i className={`k ${mark}`} />
        {name}
      </dt>
      <dd>
        {value}
        {ratio !== null && <span className={tone}>{change(ratio)}</span>}
      </dd>
    </div>
  )
}
