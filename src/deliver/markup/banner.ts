// The banner as HTML: a linked image and the impression's pixel. It has no script, so it works in every iframe, sandbox
// and content policy. The links are ours and plain (links.ts); text from outside is escaped. Attributes are in single
// quotes, which JSON does not escape.

import { escapeHtml } from './escape.ts'

export interface BannerParts {
  /** Plain links, as are the next two. */
  image: string
  click: string
  pixel: string
  width: number
  height: number
  /** The advertiser's domain, for those who cannot see the image. */
  advertiser: string
}

/** The pixel loads together with the image: for exchanges, and for pages that insert the HTML themselves. */
export function bannerMarkup(parts: BannerParts): string {
  return linkedImage(parts, '') + pixelImage(parts.pixel)
}

/** `pixel`: a plain link. */
export function pixelImage(pixel: string): string {
  return (
    `<img src='${pixel}' width='1' height='1' alt='' ` +
    "style='position:absolute;width:1px;height:1px;border:0;opacity:0;pointer-events:none'>"
  )
}

/** The link and the image; `imageAttributes` are further attributes of the image, already escaped. */
export function linkedImage(parts: BannerParts, imageAttributes: string): string {
  return (
    `<a href='${parts.click}' target='_blank' rel='noopener sponsored'>` +
    `<img src='${parts.image}' width='${parts.width}' height='${parts.height}' ` +
    `alt='${escapeHtml(`Advertisement: ${parts.advertiser}`)}' style='display:block;border:0'${imageAttributes}></a>`
  )
}
