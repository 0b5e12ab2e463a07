import { createHash } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { adAnswer, adPage, noAdAnswer, type TagAd } from './respond.ts'

const AD: TagAd = {
  cid: 21,
  banner: {
    bid: 41,
    pid: 31,
    width: 300,
    height: 250,
    type: 'image/png',
    animated: false,
    imagePath: '/creative/a.png',
    clickUrl: 'https://shop.example.com/',
    adomain: 'shop.example.com',
  },
  links: {
    image: 'https://ads.example.net/creative/a.png',
    click: 'https://ads.example.net/t/c/tok',
    pixel: 'https://ads.example.net/t/i/tok',
  },
}

function scriptOf(html: string): string {
  return /<script>([\s\S]*)<\/script>/.exec(html)?.[1] as string
}

/** Runs the page's script beside a body and an image that behave as the test says. */
function play(
  image: { complete: boolean; naturalWidth: number } | null,
  place = { width: 300, hidden: false },
) {
  const asked: string[] = []
  const messages: unknown[] = []
  const listeners: Record<string, (() => void)[]> = { load: [], resize: [], visibilitychange: [] }
  const addEventListener = (name: string, listener: () => void) => void listeners[name]!.push(listener)
  const element = image && { ...image, getAttribute: () => 'PIXEL', addEventListener }
  const size: Record<string, string> = { 'data-width': '300', 'data-height': '250' }
  const document = {
    body: { getAttribute: (name: string) => size[name] },
    getElementById: () => element,
    hidden: place.hidden,
    addEventListener,
  }
  const parent = { postMessage: (message: unknown) => messages.push(message) }
  const window = { parent, innerWidth: place.width, addEventListener }
  class Image {
    set src(url: string) {
      asked.push(url)
    }
  }
  runInNewContext(scriptOf(adPage(AD).html), { document, window, Image })
  const hear = (name: string) => {
    for (const listener of listeners[name]!) listener()
  }
  return { asked, messages, element, document, window, hear, load: () => hear('load') }
}

describe('answers to tags', () => {
  test('an ad is answered with all that a page needs to show it', () => {
    const { ad } = adAnswer(AD)
    expect(ad).toMatchObject({
      bid: 41,
      cid: 21,
      pid: 31,
      width: 300,
      height: 250,
      image: AD.links.image,
      click: AD.links.click,
      impression: AD.links.pixel,
    })
    expect(ad.html).toContain(AD.links.click)
    expect(noAdAnswer('no_match')).toEqual({ ad: null, reason: 'no_match' })
  })

  test('the page asks for no pixel by itself, and allows exactly its own script and style', () => {
    const { html, headers } = adPage(AD)
    const scripted = html.replace(/<noscript>.*?<\/noscript>/, '')
    expect(scripted).not.toMatch(/src=["']https:\/\/ads\.example\.net\/t\/i/)
    expect(html).toContain("data-impression='https://ads.example.net/t/i/tok'")
    const policy = headers['content-security-policy'] as string
    for (const text of [scriptOf(html), /<style>(.*)<\/style>/.exec(html)?.[1] as string]) {
      expect(policy).toContain(`'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    }
    expect(policy).toContain('img-src https://ads.example.net;')
    expect(policy).not.toContain('frame-ancestors')
    expect(headers['cache-control']).toBe('no-store')
  })

  test('the impression is counted once, when the image has loaded', () => {
    const slow = play({ complete: false, naturalWidth: 0 })
    expect(slow.asked).toEqual([])
    if (slow.element) slow.element.naturalWidth = 300
    slow.load()
    slow.load()
    expect(slow.asked).toEqual(['PIXEL'])
    const cached = play({ complete: true, naturalWidth: 300 })
    cached.load()
    expect(cached.asked).toEqual(['PIXEL'])
  })

  test('where scripts are forbidden, the pixel comes with the image', () => {
    const unscripted = /<noscript>(.*?)<\/noscript>/.exec(adPage(AD).html)?.[1]
    expect(unscripted).toContain("<img src='https://ads.example.net/t/i/tok'")
    expect(adPage(null).html).not.toContain('noscript')
  })

  test('what cannot be seen is no impression until it can', () => {
    const image = { complete: true, naturalWidth: 300 }
    const behind = play(image, { width: 300, hidden: true })
    behind.hear('visibilitychange')
    expect(behind.asked).toEqual([])
    behind.document.hidden = false
    behind.hear('visibilitychange')
    behind.hear('visibilitychange')
    expect(behind.asked).toEqual(['PIXEL'])
    const closed = play(image, { width: 0, hidden: false })
    expect(closed.asked).toEqual([])
    closed.window.innerWidth = 300
    closed.hear('resize')
    expect(closed.asked).toEqual(['PIXEL'])
  })

  test('an image that failed is no impression', () => {
    expect(play({ complete: true, naturalWidth: 0 }).asked).toEqual([])
  })

  test('the page tells its size to the tag; an empty page has none and asks for nothing', () => {
    expect(play({ complete: true, naturalWidth: 1 }).messages).toEqual([
      { marquee: 'size', width: 300, height: 250 },
    ])
    expect(play(null).asked).toEqual([])
    const empty = adPage(null)
    expect(empty.html).toContain('<body data-width="0" data-height="0"><script>')
    expect(empty.headers['content-security-policy']).toContain("img-src 'none'")
  })
})
