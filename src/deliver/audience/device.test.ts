// The device and system of a visitor, from agent strings and client hints.

import { describe, expect, test } from 'vitest'
import type { Device } from '../targeting/request.ts'
import { agentOfHeaders, deviceOf, handheldOf, type OsName, osOf } from './device.ts'

const AGENTS: [string, Device | null, OsName][] = [
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1',
    'mobile',
    'iOS',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 Version/12.1 Mobile/15E148 Safari/604.1',
    'tablet',
    'iOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile Safari/537.36',
    'mobile',
    'Android',
  ],
  [
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36',
    'tablet',
    'Android',
  ],
  ['Mozilla/5.0 (Android 13; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0', 'mobile', 'Android'],
  ['Mozilla/5.0 (Android 13; Tablet; rv:127.0) Gecko/127.0 Firefox/127.0', 'tablet', 'Android'],
  [
    'Mozilla/5.0 (Linux; Android 9; KFMAWI) AppleWebKit/537.36 Silk/126.2 like Chrome/126.0 Safari/537.36',
    'tablet',
    'Android',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36 Edg/126.0',
    'desktop',
    'Windows',
  ],
  ['Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; Tablet PC 2.0)', 'desktop', 'Windows'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.5 Safari/605.1.15',
    'desktop',
    'macOS',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', 'desktop', 'Linux'],
  [
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36',
    'desktop',
    'Chrome OS',
  ],
  [
    'Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 SamsungBrowser/4.0 TV Safari/537.36',
    null,
    'other',
  ],
  [
    'Mozilla/5.0 (Linux; Android 9; AFTS) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36',
    null,
    'Android',
  ],
  ['Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1) Edge/15 Mobile', 'mobile', 'other'],
  ['Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 Chrome/87.0 Safari/537.36', null, 'other'],
]

describe('device', () => {
  test.each(AGENTS)('%s is %s on %s', (ua, device, os) => {
    const agent = { ua, hintMobile: null, hintPlatform: null }
    expect(deviceOf(agent)).toBe(device)
    expect(osOf(null, agent)).toBe(os)
  })

  test('client hints take precedence over the agent string', () => {
    const frozen = AGENTS[7]?.[0] as string
    expect(deviceOf({ ua: frozen, hintMobile: true, hintPlatform: 'Android' })).toBe('mobile')
    expect(deviceOf({ ua: frozen, hintMobile: false, hintPlatform: 'Android' })).toBe('tablet')
    expect(deviceOf({ ua: null, hintMobile: false, hintPlatform: 'Windows' })).toBe('desktop')
    expect(deviceOf({ ua: frozen, hintMobile: false, hintPlatform: null })).toBe('desktop')
    expect(osOf(null, { ua: frozen, hintMobile: null, hintPlatform: 'macOS' })).toBe('macOS')
  })

  test('an agent that says nothing gives no device', () => {
    const nothing = { ua: null, hintMobile: null, hintPlatform: null }
    expect(deviceOf(nothing)).toBeNull()
    expect(osOf(null, nothing)).toBeNull()
    expect(deviceOf({ ...nothing, ua: 'something else' })).toBeNull()
  })

  test('a handheld that looks like a Mac is a tablet, and one that says nothing is a phone', () => {
    expect(handheldOf({ ua: AGENTS[9]?.[0] as string, hintMobile: null, hintPlatform: null })).toBe('tablet')
    expect(handheldOf({ ua: null, hintMobile: null, hintPlatform: null })).toBe('mobile')
  })

  test('headers are read as hints', () => {
    const headers = { 'user-agent': 'x', 'sec-ch-ua-mobile': '?0', 'sec-ch-ua-platform': '"Chrome OS"' }
    expect(agentOfHeaders(headers)).toEqual({ ua: 'x', hintMobile: false, hintPlatform: 'Chrome OS' })
    expect(agentOfHeaders({})).toEqual({ ua: null, hintMobile: null, hintPlatform: null })
  })
})
