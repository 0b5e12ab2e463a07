// Names of the largest places in view, from our own table, down to towns. Where names would overlap, the larger place
// wins.

import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { GeoProjection } from 'd3-geo'
import { api } from '../api/client.ts'
import { isFree, type Label, LETTER_PX } from './free-label.ts'

interface TownLabelsProps {
  projection: GeoProjection
  width: number
  height: number
}

const SHOWN = 40
const MARGIN_PX = 16

export function TownLabels({ projection, width, height }: TownLabelsProps) {
  const [west, north] = projection.invert?.([0, 0]) ?? [-180, 85]
  const [east, south] = projection.invert?.([width, height]) ?? [180, -85]
  const [key] = useDebouncedValue([west, south, east, north].map(round).join(','), 150)
  const { data: towns = [] } = useQuery({
    queryKey: ['towns', key],
    queryFn: ({ signal }) => {
      const [w, s, e, n] = key.split(',').map(Number) as [number, number, number, number]
      const [from, to] = e - w >= 360 ? [-180, 180] : [wrap(w), wrap(e)]
      const box = { west: from, south: clamp(s, 90), east: to, north: clamp(n, 90) }
      return api.findTowns({ ...box, limit: SHOWN }, { signal })
    },
    staleTime: 3_600_000,
    placeholderData: before => before,
  })
  const placed: Label[] = []
  for (const { label, lat, lon } of towns) {
    const [x, y] = projection([lon!, lat!]) ?? [-1, -1]
    const name = label.split(', ')[0]!
    const inside =
      x > MARGIN_PX && x < width - name.length * LETTER_PX && y > MARGIN_PX && y < height - MARGIN_PX
    if (inside && isFree({ x, y, name }, placed)) placed.push({ x, y, name })
  }
  return (
    <g>
      {placed.map(({ x, y, name }) => (
        <g key={`${name}-${x}-${y}`}>
          <circle cx={x} cy={y} r={1.8} className="town" />
          <text x={x + 5} y={y + 4} className="town">
            {name}
          </text>
        </g>
      ))}
    </g>
  )
}

const round = (value: number) => Math.round(value * 1000) / 1000
const clamp = (value: number, most: number) => Math.min(most, Math.max(-most, value))
const wrap = (longitude: number) => ((((longitude + 180) % 360) + 360) % 360) - 180
