// Addresses: real ones pass; those that would break emails and links do not.

import { describe, expect, it } from 'vitest'
import { emailKey, isEmail, isHttpUrl, readEmail } from './address.ts'

describe('email addresses', () => {
  it.each([
    'a@b.co',
    'ann.rider+ads@mail.bikes.example',
    "o'neil@x.example",
    'jörg@müller.example'.replace('ü', 'u'),
    'A@B.CO',
    'JÖRG.Ørsted@x.example',
    'Иван@x.example',
    '花子@x.example',
  ])('%s is valid', text => {
    expect(isEmail(text)).toBe(true)
  })
  it.each([
    '',
    'a',
    '@b.co',
    'a@',
    'a@b',
    'a b@c.co',
    'a@b..co',
    '.a@b.co',
    'a..b@c.co',
    'a@-b.co',
    'a@b.co\r\nbcc: x@y.z',
    'a@b@c',
    '"a b"@c.co',
    `${'a'.repeat(65)}@b.co`,
    `a@${'b'.repeat(250)}.co`,
    '\u212aate@x.example',
    '\u212bsa@x.example',
    'jo\u0308rg@x.example',
    '\u03f4eo@x.example',
  ])('%s is invalid', text => {
    expect(isEmail(text)).toBe(false)
  })
})

describe('a domain beyond ASCII', () => {
  it.each([
    ['x@bücher.example', 'x@xn--bcher-kva.example'],
    ['X@BÜCHER.example', 'X@xn--bcher-kva.example'],
    [' x@bu\u0308cher.example ', 'x@xn--bcher-kva.example'],
    ['花子@例え.example', '花子@xn--r8jz45g.example'],
  ])('%s is read as %s, and found as such', (text, email) => {
    expect(readEmail(text)).toBe(email)
    expect(emailKey(text)).toBe(email.toLowerCase())
  })

  it.each([
    'x@bücher',
    'x@bücher.example/a',
    'x@bücher.example:25',
    'x@ü@bücher.example',
    'x@',
    'x@bü cher.example',
  ])('%s is no address', text => {
    expect(readEmail(text)).toBeNull()
  })
})

describe('http URLs', () => {
  it.each([
    'http://a.example',
    'https://a.example/x?y=1#z',
    'HTTPS://A.EXAMPLE',
    'http://localhost:8080/',
    'http://[::1]/',
  ])('%s is valid', text => {
    expect(isHttpUrl(text)).toBe(true)
  })
  it.each([
    '',
    'a.example',
    '//a.example',
    'ftp://a.example',
    'javascript:alert(1)',
    'http:a',
    'http://',
    'https://a b',
    'http://a\r\n.example',
    'data:text/html,x',
  ])('%s is invalid', text => {
    expect(isHttpUrl(text)).toBe(false)
  })
})
