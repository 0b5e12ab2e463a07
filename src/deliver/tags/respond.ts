// The answers to a tag: the JSON of POST /ad, and the page of GET /ad.html for an iframe. The page loads the pixel of
// the impression when the image has loaded into a visible place, and the pixel of the view when half of the image was
// on screen for a second; it tells the tag its size. If scripts are forbidden (a sandboxed iframe), the pixel comes
// with the image, and nothing is measured.

import { createHash } from 'node:crypto'
import type { LiveBanner } from '../../budget/live.ts'
import { type BannerParts, bannerMarkup, linkedImage, pixelImage } from '../markup/banner.ts'
import { escapeHtml } from '../markup/escape.ts'
import { isPlain } from '../markup/json.ts'

/** Plain links: without characters that HTML or JSON escapes. */
export interface TagLinks {
  image: string
  click: string
  pixel: string
  view: string
}

/** One decided ad. */
export interface TagAd {
  cid: number
  banner: LiveBanner
  links: TagLinks
}

/** The answer with an ad, as JSON text. */
export function adAnswer({ cid, banner, links }: TagAd): string {
  const { bid, pid, width, height, adomain } = banner
  const markup = bannerMarkup(partsOf(banner, links))
  const html = isPlain(adomain) ? `"${markup}"` : JSON.stringify(markup)
  return (
    `{"ad":{"bid":${bid},"cid":${cid},"pid":${pid},"width":${width},"height":${height},"image":"${links.image}",` +
    `"click":"${links.click}","impression":"${links.pixel}","view":"${links.view}","html":${html}}}`
  )
}

/** The answer without an ad, as JSON text. */
export function noAdAnswer(reason: string): string {
  return JSON.stringify({ ad: null, reason })
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
  /** They contain the content policy that the page needs; x-frame-options must not be added. */
  headers: Record<string, string>
}

const STYLE = 'html,body{margin:0;padding:0;overflow:hidden;background:transparent}'

// The text is constant, so that its hash can be in the content policy: whatever differs is in data attributes. The
// image may have loaded before the script runs, hence `complete`; naturalWidth is 0 if it failed. In a background tab
// or a frame that is not displayed, nothing is rendered, so the impression waits. A view is defined as usual: half of
// the pixels, for one uninterrupted second, in the foreground tab. It is measured only after the impression was
// answered, because only an impression that was counted can have been seen. What
// another frame of ours in the page has said is not said again.
const SCRIPT = `(function(){
var b=document.body,i=document.getElementById('ad'),w=+b.getAttribute('data-width'),h=+b.getAttribute('data-height'),e=b.getAttribute('data-problem'),f=false,half=false,timer=0,observer=null;
function shown(){if(!f&&i.naturalWidth>0&&window.innerWidth>0&&!document.hidden){f=true;var p=new Image();p.onload=measure;p.src=i.getAttribute('data-impression')}}
function measure(){if(!window.IntersectionObserver)return;
observer=new IntersectionObserver(function(list){half=list[list.length-1].intersectionRatio>=0.5;look()},{threshold:[0.5]});
observer.observe(i);document.addEventListener('visibilitychange',look)}
function look(){if(!half||document.hidden){clearTimeout(timer);timer=0}else if(!timer)timer=setTimeout(seen,1000)}
function seen(){if(!observer)return;observer.disconnect();observer=null;document.removeEventListener('visibilitychange',look);new Image().src=i.getAttribute('data-view')}
function known(){try{for(var s=window.parent.frames,n=0;n<s.length;n++){try{if(s[n]!==window&&s[n].marqueeSaid===e)return true}catch(x){}}}catch(x){}return false}
if(e&&window.console&&!known())console.error('marquee: '+e);window.marqueeSaid=e;
if(i){if(i.complete)shown();i.addEventListener('load',shown);window.addEventListener('resize',shown);document.addEventListener('visibilitychange',shown)}
if(window.parent!==window)window.parent.postMessage({marquee:'size',width:w,height:h},'*')
})()`

const STYLE_HASH = policyHash(STYLE)
const SCRIPT_HASH = policyHash(SCRIPT)

/**
 * The page around one banner; null: an empty page, which makes the tag close its place. `problem`: what the
 * publisher should know, for the browser's console, where publishers look and readers do not.
 */
export function adPage(ad: TagAd | null, problem: string | null = null): AdPage {
  const banner = ad?.banner
  const inside = ad === null ? '' : shownAd(ad)
  const said = problem === null ? '' : ` data-problem="${escapeHtml(problem)}"`
  const html =
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Advertisement</title>' +
    `<meta name="robots" content="noindex"><style>${STYLE}</style></head>` +
    `<body data-width="${banner?.width ?? 0}" data-height="${banner?.height ?? 0}"${said}>` +
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

function shownAd({ banner, links }: TagAd): string {
  const attributes = ` id='ad' data-impression='${links.pixel}' data-view='${links.view}'`
  return `${linkedImage(partsOf(banner, links), attributes)}<noscript>${pixelImage(links.pixel)}</noscript>`
}

function policyOf(ad: TagAd | null): string {
  const images = ad ? [...new Set([originOf(ad.links.image), originOf(ad.links.pixel)])].join(' ') : "'none'"
  return [
    "default-src 'none'",
    `img-src ${images}`,
    // Style attributes of the image are ours and constant; not every browser supports hashes of attributes.
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
