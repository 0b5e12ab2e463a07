// A week to paint: days and hours as a grid. With a mouse, pen or finger, the first cell decides whether to paint or
// wipe, and every cell that is passed follows. A click on a name paints a whole day or hour. With the keyboard, arrows
// move, the space bar turns a cell on or off, and arrows with Shift paint. On a narrow page the days are side by side.

// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be turned by a style, and its cells are no buttons
// biome-ignore-all lint/a11y/useFocusableInteractive: one cell at a time has the focus, the names have buttons
import './hours.css'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { t } from '../../words/words.ts'
import { type Cell, HOURS, type Hours, hasHour, WEEKDAYS, withHours } from './week.ts'
import { dayName, rangeText } from './week-text.ts'

interface WeekGridProps {
  value: Hours
  isInvalid: boolean
  onChange: (hours: Hours) => void
}

/** The same width as in hours.css. */
const TURNED = '(max-width: 48em)'

export function WeekGrid({ value, isInvalid, onChange }: WeekGridProps) {
  const grid = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<Cell>({ day: 'mon', hour: 9 })
  /** Whether the pressed pointer turns hours on or off. */
  const painting = useRef<boolean | null>(null)
  // Several cells may be passed before the page is redrawn; each change includes those before it.
  const latest = useRef(value)
  latest.current = value

  const set = (cells: readonly Cell[], isOn: boolean) => {
    latest.current = withHours(latest.current, cells, isOn)
    onChange(latest.current)
  }
  /** Turns all cells on, or all off if they are on. */
  const setAll = (cells: readonly Cell[]) => set(cells, !cells.every(cell => hasHour(value, cell)))

  const begin = (event: PointerEvent) => {
    const cell = event.button === 0 ? cellAt(event) : null
    if (!cell) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    painting.current = !hasHour(value, cell)
    set([cell], painting.current)
    focus(cell)
  }
  const paint = (event: PointerEvent) => {
    const cell = painting.current === null ? null : cellAt(event)
    if (cell && hasHour(latest.current, cell) !== painting.current) set([cell], painting.current!)
  }
  const end = () => {
    painting.current = null
  }

  const focus = (cell: Cell) => {
    setFocused(cell)
    grid.current?.querySelector<HTMLElement>(`[data-cell="${cell.day} ${cell.hour}"]`)?.focus()
  }
  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey) return
    const isOn = hasHour(value, focused)
    if (event.key === ' ' || event.key === 'Enter') {
      event.preventDefault()
      set([focused], !isOn)
      return
    }
    const next = moved(focused, event)
    if (!next) return
    event.preventDefault()
    if (event.shiftKey) set([next], isOn)
    focus(next)
  }

  return (
    <div
      ref={grid}
      role="grid"
      className="week"
      aria-label={t('hours.grid')}
      aria-multiselectable="true"
      data-invalid={isInvalid || undefined}
      tabIndex={-1}
      onPointerDown={begin}
      onPointerMove={paint}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyDown={press}
    >
      <div role="row" className="week-row">
        {HOURS.map(hour => (
          <div key={hour} role="columnheader" className="week-hour" style={{ '--hour': hour } as object}>
            <button
              type="button"
              tabIndex={-1}
              aria-label={rangeText(hour, hour + 1)}
              onClick={() => setAll(WEEKDAYS.map(day => ({ day, hour })))}
            >
              {hour}
            </button>
          </div>
        ))}
      </div>
      {WEEKDAYS.map((day, index) => (
        <div key={day} role="row" className="week-row" style={{ '--day': index } as object}>
          <div role="rowheader" className="week-day">
            <button
              type="button"
              tabIndex={-1}
              aria-label={dayName(day, 'long')}
              onClick={() => setAll(HOURS.map(hour => ({ day, hour })))}
            >
              {dayName(day, 'short')}
            </button>
          </div>
          {HOURS.map(hour => (
            <div
              key={hour}
              role="gridcell"
              className="week-cell"
              style={{ '--hour': hour } as object}
              data-cell={`${day} ${hour}`}
              aria-selected={hasHour(value, { day, hour })}
              aria-label={`${dayName(day, 'long')} ${rangeText(hour, hour + 1)}`}
              tabIndex={focused.day === day && focused.hour === hour ? 0 : -1}
              onFocus={() => setFocused({ day, hour })}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

/** The cell under the pointer. The event does not tell, because the grid has captured the pointer. */
function cellAt({ clientX, clientY }: PointerEvent): Cell | null {
  const under = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-cell]')
  if (!under) return null
  const [day, hour] = under.dataset.cell!.split(' ')
  return { day: day as Cell['day'], hour: Number(hour) }
}

/** The cell that a key leads to; null: the key does not move. */
function moved({ day, hour }: Cell, { key, ctrlKey }: KeyboardEvent): Cell | null {
  const isTurned = window.matchMedia(TURNED).matches
  const by = (days: number, hours: number): Cell => ({
    day: WEEKDAYS[within(WEEKDAYS.indexOf(day) + days, WEEKDAYS.length)]!,
    hour: within(hour + hours, HOURS.length),
  })
  const along = (step: number) => (isTurned ? by(step, 0) : by(0, step))
  const across = (step: number) => (isTurned ? by(0, step) : by(step, 0))
  switch (key) {
    case 'ArrowRight':
      return along(1)
    case 'ArrowLeft':
      return along(-1)
    case 'ArrowDown':
      return across(1)
    case 'ArrowUp':
      return across(-1)
    case 'Home':
      return { day: ctrlKey ? 'mon' : day, hour: 0 }
    case 'End':
      return { day: ctrlKey ? 'sun' : day, hour: HOURS.length - 1 }
    default:
      return null
  }
}

function within(index: number, count: number): number {
  return Math.min(count - 1, Math.max(0, index))
}
