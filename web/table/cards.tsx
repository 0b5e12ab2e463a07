// Rows as cards, for phones: only those in view are drawn, and the page itself scrolls.

import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { t } from '../words/words.ts'
import { type Column, type Sorting, sortRows } from './column.ts'
import { Tick } from './controls.tsx'
import { type Selection, useToggle } from './toggle.ts'

interface CardsProps<Row> {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  sorting: Sorting
  idOf: (row: Row) => number
  nameOf: (row: Row) => string
  selection?: Selection | undefined
  /** The content of a card, beside its box. */
  card: (row: Row) => ReactNode
}

const CARD_PX = 168
const BESIDE = 6

export function Cards<Row>({
  label,
  rows,
  columns,
  sorting,
  idOf,
  nameOf,
  selection,
  card,
}: CardsProps<Row>) {
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  const sorted = useMemo(() => sortRows(rows, columns, sorting), [rows, columns, sorting])
  const ids = useMemo(() => sorted.map(idOf), [sorted, idOf])
  const toggle = useToggle(selection, ids)
  const chosen = useMemo(() => ids.filter(id => selection?.ids.has(id)).length, [ids, selection?.ids])
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), [])
  const virtual = useWindowVirtualizer({
    count: sorted.length,
    estimateSize: () => CARD_PX,
    overscan: BESIDE,
    scrollMargin: top,
    getItemKey: index => ids[index]!,
  })
  return (
    <>
      {selection && (
        <div className="cards-all s q">
          <Tick
            label={t('table.selectAll')}
            checked={chosen > 0 && chosen === ids.length}
            partly={chosen > 0 && chosen < ids.length}
            onChange={() => selection.onChange(chosen === ids.length ? new Set() : new Set(ids))}
          />
          <span aria-hidden="true">{t('table.selectAll')}</span>
        </div>
      )}
      <ul ref={list} className="cards" aria-label={label} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(item => {
          const row = sorted[item.index]!
          const id = ids[item.index]!
          const isChosen = selection?.ids.has(id) ?? false
          return (
            <li
              key={id}
              ref={virtual.measureElement}
              data-index={item.index}
              aria-setsize={sorted.length}
              aria-posinset={item.index + 1}
              style={{ transform: `translateY(${item.start - top}px)` }}
            >
              <div className="ccard" data-selected={isChosen || undefined}>
                {selection && (
                  <Tick
                    label={t('table.select', { name: nameOf(row) })}
                    checked={isChosen}
                    onChange={(_, isRange) => toggle(id, isRange)}
                  />
                )}
                {card(row)}
              </div>
            </li>
          )
        })}
      </ul>
    </>
  )
}
