// What tags get: the ad as JSON or as a page, and when that page reports an impression or a view.

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
    view: 'https://ads.example.net/t/v/tok',
  },
}

function scriptOf(html: string): string {
  return /<script>([\s\S]*)<\/script>/.exec(html)?.[1] as string
}

/** What the page's script learns about the image's position on the screen. */
type Ratio = { intersectionRatio: number }

/** Runs the page's script with a body and an image that behave as the test says. */
function play(
  image: { complete: boolean; naturalWidth: number } | null,
  place = { width: 300, hidden: false },
) {
  const asked: string[] = []
  const messages: unknown[] = []
  const listeners: Record<string, (() => void)[]> = { load: [], resize: [], visibilitychange: [] }
  const addEventListener = (name: string, listener: () => void) => void listeners[name]!.push(listener)
  const removeEventListener = (name: string, listener: () => void) => {
    listeners[name] = listeners[name]!.filter(known => known !== listener)
  }
  const links: Record<string, string> = { 'data-impression': 'PIXEL', 'data-view': 'VIEW' }
  const element = image && { ...image, getAttribute: (name: string) => links[name], addEventListener }
  const size: Record<string, string> = { 'data-width': '300', 'data-height': '250' }
  const document = {
    body: { getAttribute: (name: string) => size[name] ?? null },
    getElementById: () => element,
    hidden: place.hidden,
    addEventListener,
    removeEventListener,
  }
  const parent = { postMessage: (message: unknown) => messages.push(message) }
  const window = { parent, innerWidth: place.width, addEventListener }
  class Image {
    onload = () => {}
    set src(url: string) {
      asked.push(url)
      this.onload()
    }
  }
  const observers: ((list: Ratio[]) => void)[] = []
  class IntersectionObserver {
    constructor(tell: (list: Ratio[]) => void) {
      observers.push(tell)
    }
    observe() {}
    disconnect() {
      observers.length = 0
    }
  }
  const timers = new Map<number, () => void>()
  const setTimeout = (ring: () => void, ms: number) => {
    timers.set(timers.size + 1, ring)
    return ms === 1000 ? timers.size : 0
  }
  const clearTimeout = (timer: number) => timers.delete(timer)
  Object.assign(window, { IntersectionObserver })
  const world = { document, window, Image, IntersectionObserver, setTimeout, clearTimeout }
  runInNewContext(scriptOf(adPage(AD).html), world)
  const hear = (name: string) => {
    for (const listener of listeners[name]!) listener()
  }
  const onScreen = (intersectionRatio: number) => {
    for (const tell of [...observers]) tell([{ intersectionRatio }])
  }
  const passSecond = () => {
    for (const [timer, ring] of [...timers]) if (timers.delete(timer)) ring()
  }
  return { asked, messages, element, document, window, hear, onScreen, passSecond, load: () => hear('load') }
}

describe('answers to tags', () => {
  test('an ad comes with everything a page needs to show it', () => {
    const { ad } = JSON.parse(adAnswer(AD))
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
    expect(JSON.parse(noAdAnswer('no_match'))).toEqual({ ad: null, reason: 'no_match' })
  })

  test('an advertiser of any spelling is written as JSON and as HTML', () => {
    const adomain = 'a"b\\c<d>\u00fc.example'
    const { ad } = JSON.parse(adAnswer({ ...AD, banner: { ...AD.banner, adomain } }))
    expect(ad.html).toContain("alt='Advertisement: a&quot;b\\c&lt;d&gt;\u00fc.example'")
  })

  test('the page loads no pixel by itself, and allows exactly its own script and style', () => {
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

  test('if scripts are forbidden, the pixel comes with the image', () => {
    const unscripted = /<noscript>(.*?)<\/noscript>/.exec(adPage(AD).html)?.[1]
    expect(unscripted).toContain("<img src='https://ads.example.net/t/i/tok'")
    expect(adPage(null).html).not.toContain('noscript')
  })

  test('an ad that cannot be seen is not an impression until it can', () => {
    const image = { complete: true, naturalWidth: 300 }
    const hiddenAd = play(image, { width: 300, hidden: true })
    hiddenAd.hear('visibilitychange')
    expect(hiddenAd.asked).toEqual([])
    hiddenAd.document.hidden = false
    hiddenAd.hear('visibilitychange')
    hiddenAd.hear('visibilitychange')
    expect(hiddenAd.asked).toEqual(['PIXEL'])
    const closed = play(image, { width: 0, hidden: false })
    expect(closed.asked).toEqual([])
    closed.window.innerWidth = 300
    closed.hear('resize')
    expect(closed.asked).toEqual(['PIXEL'])
  })

  test('half of the pixels for one uninterrupted second is a view, reported once', () => {
    const ad = play({ complete: true, naturalWidth: 300 })
    const steps: [number | 'second' | 'hide' | 'show', number][] = [
      [0.49, 0],
      ['second', 0],
      [0.5, 0],
      [0.3, 0],
      ['second', 0],
      [0.7, 0],
      ['hide', 0],
      ['second', 0],
      ['show', 0],
      ['second', 1],
      [0.1, 1],
      [0.9, 1],
      ['second', 1],
    ]
    for (const [step, views] of steps) {
      if (step === 'second') ad.passSecond()
      else if (typeof step === 'number') ad.onScreen(step)
      else {
        ad.document.hidden = step === 'hide'
        ad.hear('visibilitychange')
      }
      expect([step, ad.asked.filter(url => url === 'VIEW').length]).toEqual([step, views])
    }
    expect(ad.asked).toEqual(['PIXEL', 'VIEW'])
  })

  test('a problem is written to the console, as text', () => {
    const { html } = adPage(null, 'source "<x>" is unknown')
    expect(html).toContain('data-problem="source &quot;&lt;x&gt;&quot; is unknown"')
    const said: string[] = []
    const attributes: Record<string, string> = { 'data-problem': 'source is unknown' }
    const document = {
      body: { getAttribute: (name: string) => attributes[name] ?? null },
      getElementById: () => null,
    }
    const console = { error: (line: string) => said.push(line) }
    const window: Record<string, unknown> = { console }
    window.parent = window
    runInNewContext(scriptOf(html), { document, window, console })
    expect(said).toEqual(['marquee: source is unknown'])
  })

  test('an image that failed to load is not an impression', () => {
    expect(play({ complete: true, naturalWidth: 0 }).asked).toEqual([])
  })

  test('the page tells the tag its size; an empty page has none and loads nothing', () => {
    expect(play({ complete: true, naturalWidth: 1 }).messages).toEqual([
      { marquee: 'size', width: 300, height: 250 },
    ])
    expect(play(null).asked).toEqual([])
    const empty = adPage(null)
    expect(empty.html).toContain('<body data-width="0" data-height="0"><script>')
    expect(empty.headers['content-security-policy']).toContain("img-src 'none'")
  })
})
