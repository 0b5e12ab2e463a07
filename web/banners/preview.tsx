// The image itself, never enlarged, on a chequered ground so that its edges show.

import './banners.css'
import { imageUrl } from '../api/client.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'

interface PreviewProps {
  creativeURL: string
  name: string
  /** Pixels; the picture is scaled to fit. */
  maxHeight?: number
}

export function Preview({ creativeURL, name, maxHeight = 320 }: PreviewProps) {
  // Images on other hosts are not loaded: the page's policy forbids it, and they could track who looks.
  const own = creativeURL.startsWith('/')
  return (
    <div className="preview" style={{ maxHeight: maxHeight + 24 }}>
      {own ? (
        <img src={imageUrl(creativeURL)} alt={t('banners.previewOf', { name })} style={{ maxHeight }} />
      ) : (
        <span className="preview-elsewhere">
          <Icon name="image" size={22} />
          {hostOf(creativeURL)}
        </span>
      )}
    </div>
  )
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
