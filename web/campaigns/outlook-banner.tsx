// The banner as a visitor would see it: on a page, in proportion to the page.

import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { imageUrl } from '../api/client.ts'
import { sizeOf } from '../banners/data.ts'
import type { BannerDraft } from '../banners/uploads.tsx'
import { t } from '../words/words.ts'

/** The most that fit side by side. */
const MOST_CHOICES = 3

export function InItsPlace({ list }: { list: BannerDraft[] }) {
  const [chosen, setChosen] = useState<string | null>(null)
  const shown = new Map<string, BannerDraft>()
  for (const draft of list) {
    if (draft.upload && !shown.has(sizeOf(draft.upload))) shown.set(sizeOf(draft.upload), draft)
  }
  const sizes = [...shown.keys()].slice(0, MOST_CHOICES)
  const size = chosen !== null && shown.has(chosen) ? chosen : sizes[0]
  const upload = size === undefined ? null : shown.get(size)!.upload!
  const isWide = upload !== null && upload.width >= upload.height * 2
  return (
    <section className="in-place" aria-label={t('outlook.place')}>
      <div className="in-place-head">
        <p className="outlook-name">{t('outlook.place')}</p>
        {sizes.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={t('outlook.size')}
            data={sizes}
            value={size!}
            onChange={setChosen}
          />
        )}
      </div>
      <div className="in-place-page" data-wide={isWide || undefined}>
        <div className="in-place-bar" aria-hidden>
          <i />
          <i />
          <i />
        </div>
        <div className="in-place-body">
          <div className="in-place-text" aria-hidden>
            <b />
            <i />
            <i />
            <i />
            <i />
          </div>
          {upload ? (
            <img src={imageUrl(upload.creativeURL)} alt={t('outlook.placeOf', { size: size! })} />
          ) : (
            <p className="in-place-empty">{t('outlook.noBanner')}</p>
          )}
        </div>
      </div>
    </section>
  )
}
