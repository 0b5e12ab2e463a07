// The app's own name and logo, or ours if it has none.

import { imageUrl } from '../api/client.ts'
import type { Brand } from '../session/session.ts'

export function BrandMark({ brand, centred = false }: { brand: Brand; centred?: boolean }) {
  return (
    <span className="brand" data-centred={centred || undefined}>
      {brand.logo ? <img src={imageUrl(brand.logo)} alt="" height={26} /> : <OwnMark />}
      <span className="trunc">{brand.title}</span>
    </span>
  )
}

export function OwnMark() {
  return (
    <span className="mark">
      <svg width={16} height={16} viewBox="4 5 24 23" aria-hidden="true">
        <path
          d="M8 23V10l8 8 8-8v13"
          fill="none"
          stroke="currentColor"
          strokeWidth="3.6"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </span>
  )
}
