// What a tag is answered: the JSON of POST /ad, and the page of GET /ad.html for an iframe.
// The page fires the impression's pixel only after the image has loaded into a place that can be seen, and tells the
// tag its size. Where scripts are forbidden (a sandboxed iframe), the pixel comes with the image.

import { createHash } from 'node:crypto'
import type { LiveBanner } from '../../catalog/live.ts'
import { type BannerParts, bannerMarkup, linkedImage, pixelImage } from '../markup/banner.ts'

export interface TagLinks {
  image: string
  click: string
  pixel: string
}

/** One decided ad. */
export interface TagAd {
  cid: number
  banner: LiveBanner
  links: TagLinks
}

export interface AdAnswer {
  ad: {
    bid: number
    cid: number
    pid: number
    width: number
    height: number
    image: string
    click: string
    impression: string
    html: string
  }
}

export interface NoAdAnswer {
  ad: null
  reason: string
}

export function adAnswer({ cid, banner, links }: TagAd): AdAnswer {
  return {
    ad: {
      bid: banner.bid,
      cid,
      pid: banner.pid,
      width: banner.width,
      height: banner.height,
      image: links.image,
      click: links.click,
      impression: links.pixel,
      html: bannerMarkup(partsOf(banner, links)),
    },
  }
}

export function noAdAnswer(reason: string): NoAdAnswer {
  return { ad: null, reason }
}

function partsOf(banner: LiveBanner, links: TagLinks): BannerParts {
  return {
    image: links.image,
    click: links.click,
    pixel: links.pixel,
    width: banner.width,
    height: banner.height,
    advertiser: banner.adomain,
  }
}

export interface AdPage {
  html: string
  /** With the content policy that the page needs; it must stay free of x-frame-options. */
  headers: Record<string, string>
}

const STYLE = 'html,body{margin:0;padding:0;overflow:hidden;background:transparent}'

// Constant text, so that its hash can stand in the content policy: what differs is in data attributes.
// The image may have loaded before the script runs, hence `complete`; naturalWidth is 0 when it failed. In a tab
// behind others or a frame that is not displayed nothing is rendered: the impression waits until it is.
const SCRIPT = `(function(){
var b=document.body,i=document.getElementById('ad'),w=+b.getAttribute('data-width'),h=+b.getAttribute('data-height'),f=false;
function shown(){if(!f&&i.naturalWidth>0&&window.innerWidth>0&&!document.hidden){f=true;new Image().src=i.getAttribute('data-impression')}}
if(i){if(i.complete)shown();i.addEventListener('load',shown);window.addEventListener('resize',shown);document.addEventListener('visibilitychange',shown)}
if(window.parent!==window)window.parent.postMessage({marquee:'size',width:w,height:h},'*')
})()`

const STYLE_HASH = policyHash(STYLE)
const SCRIPT_HASH = policyHash(SCRIPT)

/** The page around one banner; null: an empty page, which makes the tag close its place. */
export function adPage(ad: TagAd | null): AdPage {
  const banner = ad?.banner
  const inside = ad
    ? linkedImage(partsOf(ad.banner, ad.links), ` id='ad' data-impression='${ad.links.pixel}'`) +
      `<noscript>${pixelImage(ad.links.pixel)}</noscript>`
    : ''
  const html =
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Advertisement</title>' +
    `<meta name="robots" content="noindex"><style>${STYLE}</style></head>` +
    `<body data-width="${banner?.width ?? 0}" data-height="${banner?.height ?? 0}">` +
    `${inside}<script>${SCRIPT}</script></body></html>`
  return {
    html,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policyOf(ad),
      'x-content-type-options': 'nosniff',
    },
  }
}

function policyOf(ad: TagAd | null): string {
  const images = ad ? [...new Set([originOf(ad.links.image), originOf(ad.links.pixel)])].join(' ') : "'none'"
  return [
    "default-src 'none'",
    `img-src ${images}`,
    // Style attributes of the image are ours and constant; hashes of attributes are not honoured everywhere.
    `style-src-elem ${STYLE_HASH}`,
    "style-src-attr 'unsafe-inline'",
    `script-src ${SCRIPT_HASH}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "'self'"
}

function policyHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
