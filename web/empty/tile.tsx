// A page that has no content yet: a picture of how it will look, a sentence, and one next step.

import './empty.css'
import type { ReactNode } from 'react'
import { t } from '../words/words.ts'

interface TileProps {
  /** Decoration, hidden from screen readers. */
  picture?: ReactNode
  /** The figures in the picture are invented. */
  isExample?: boolean
  title: string
  about: string
  /** Inside a panel. */
  bare?: boolean
  children?: ReactNode
}

export function Tile({ picture, isExample = false, title, about, bare, children }: TileProps) {
  return (
    <section className="tile" data-bare={bare || undefined} aria-label={title}>
      {picture && (
        <div className="tile-picture" aria-hidden="true">
          {picture}
          {isExample && <span className="status">{t('empty.example')}</span>}
        </div>
      )}
      <h2>{title}</h2>
      <p className="q">{about}</p>
      {children && <div className="tile-acts">{children}</div>}
    </section>
  )
}
