// The HTML of a banner: what it contains, and that nothing breaks out of it.

import { describe, expect, test } from 'vitest'
import { bannerMarkup } from './banner.ts'

const PARTS = {
  image: 'https://ads.example.net/creative/a.png',
  click: 'https://ads.example.net/t/c/tok',
  pixel: 'https://ads.example.net/t/i/tok',
  width: 300,
  height: 250,
  advertiser: 'shop.example.com',
}

describe('banner markup', () => {
  test('is a linked image that opens a new window, and the pixel', () => {
    const html = bannerMarkup(PARTS)
    expect(html).toContain(
      "<a href='https://ads.example.net/t/c/tok' target='_blank' rel='noopener sponsored'>",
    )
    expect(html).toContain("<img src='https://ads.example.net/creative/a.png' width='300' height='250'")
    expect(html).toContain("alt='Advertisement: shop.example.com'")
    expect(html).toContain("<img src='https://ads.example.net/t/i/tok' width='1' height='1' alt=''")
    expect(html).not.toMatch(/<script|\son[a-z]+=/i)
  })

  test('nothing from outside breaks out of its attribute', () => {
    const evil = `"'><script>alert(1)</script>&`
    const html = bannerMarkup({ ...PARTS, advertiser: evil })
    expect(html).not.toContain('<script')
    expect(html.match(/</g)).toHaveLength(4)
    expect(html.match(/&quot;&#39;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;&amp;/g)).toHaveLength(1)
  })

  test('a price macro is left for the exchange to replace', () => {
    const macro = ['$', '{AUCTION_PRICE}'].join('')
    expect(bannerMarkup({ ...PARTS, pixel: `${PARTS.pixel}?p=${macro}` })).toContain(`?p=${macro}'`)
  })
})
