// How an email is laid out: escaped, with one button at most, and the same in text.

import { describe, expect, it } from 'vitest'
import { type Block, layOut } from './letter.ts'

const letter = (blocks: Block[], brand = {}) =>
  layOut({
    to: 'ann@shop.example',
    language: 'en',
    subject: 'News <now>',
    brand: { title: 'Shop & Ads', color: '#ffe08a', logoUrl: null, ...brand },
    blocks,
    why: 'Because.',
  })
const open = (url: string) => ({ link: { words: 'Open', url } })

describe('a letter', () => {
  it('has its brand, escaped, and ink on the button that can be read', () => {
    const { html, text } = letter([{ text: '<b>Hello</b>' }, open('https://a.example/?a=1&b=2')])
    expect(html).toContain('Shop &amp; Ads')
    expect(html).toContain('<p>&lt;b&gt;Hello&lt;/b&gt;</p>')
    expect(html).toContain('href="https://a.example/?a=1&amp;b=2"')
    expect(html).toContain('background:#ffe08a;color:#000000')
    expect(text).toContain('<b>Hello</b>\n\nOpen: https://a.example/?a=1&b=2\n\n-- \nBecause.\n')
    const { html: dark } = letter([open('https://a.example/')], {
      color: '#123456',
      logoUrl: 'https://a.example/l.png',
    })
    expect(dark).toContain('background:#123456;color:#ffffff')
    expect(dark).toContain('<img src="https://a.example/l.png" alt="Shop &amp; Ads"')
  })

  it('has a button only if it leads to one place', () => {
    const { html } = letter([open('https://a.example/1'), open('https://a.example/2')])
    expect(html).not.toContain('inline-block')
    expect(html.match(/class="link"/g)).toHaveLength(2)
  })

  it('says figures in text as a table does, and cannot be unsubscribed from if it answers a call', () => {
    const rows = [
      ['', 'Now', 'Before'],
      ['Clicks', '3', '1'],
    ]
    const { text, html, headers } = letter([{ rows }])
    expect(text).toContain('Clicks: Now: 3, Before: 1')
    expect(html).toContain('overflow-x:auto')
    expect(headers).toBeUndefined()
  })
})
