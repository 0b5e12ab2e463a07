// Two invented weeks, drawn like real ones. The page around the chart tells screen readers that it is an example.

import '../stats/chart.css'
import { useElementSize } from '@mantine/hooks'
import { type Bucket, NO_FIGURES } from '../stats/figures.ts'
import { TrendDrawing } from '../stats/trend-drawing.tsx'
import { t } from '../words/words.ts'

const SPEND = [14, 18, 22.5, 27, 40, 44, 48, 43.5, 47.5, 51.5, 56, 69, 73.5, 77.5]
const CLICKS = [42, 57, 70, 86, 102, 115, 128, 143, 156, 171, 186, 200, 214, 227]

export const EXAMPLE: readonly Bucket[] = SPEND.map((spend, index) => ({
  ...NO_FIGURES,
  date: index,
  spend,
  clicks: CLICKS[index]!,
}))

export function ExampleChart({ height }: { height: number }) {
  const { ref, width } = useElementSize()
  return (
    <div ref={ref} className="plot m-spend example-chart" style={{ minHeight: height }} aria-hidden="true">
      {width > 0 && (
        <TrendDrawing
          series={EXAMPLE}
          before={[]}
          metric="spend"
          bars="clicks"
          isOpen={false}
          width={width}
          height={height}
          labelOf={index => t('empty.day', { day: index + 1 })}
          isWeekend={() => false}
          pointed={null}
        />
      )}
    </div>
  )
}
