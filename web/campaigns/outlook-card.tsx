// One card of the outlook of a new campaign.

import type { ReactNode } from 'react'

export function Card({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className="outlook-card" aria-label={name}>
      <p className="outlook-name">{name}</p>
      {children}
    </section>
  )
}
