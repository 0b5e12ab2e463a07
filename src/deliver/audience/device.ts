// Which of our three devices an agent is, and its operating system for reports. Client hints take precedence, because
// the agent string may be frozen. The patterns have no nested repetition, so their time is linear. iPadOS calls itself
// a Mac in its agent string: without a hint it is a desktop to us.

import { createRecent } from '../../kernel/recent.ts'
import type { Device } from '../targeting/request.ts'

/** What is known about the visitor's agent: its string, and the hints from headers or from the exchange. */
export interface Agent {
  ua: string | null
  /** Sec-CH-UA-Mobile; null: not given. */
  hintMobile: boolean | null
  /** Sec-CH-UA-Platform, as it was sent. */
  hintPlatform: string | null
}

export type OsName = 'Android' | 'iOS' | 'Windows' | 'macOS' | 'Linux' | 'Chrome OS' | 'other'

const LONGEST_UA = 1024

const TELEVISION =
  /smart-?tv|googletv|android tv|apple ?tv|hbbtv|netcast|web0s|bravia|roku|crkey|\baft[a-z]{1,5}\b|viera|playstation|xbox|nintendo/i
const TABLET =
  /ipad|tablet(?! pc)|kindle|\bsilk\/|playbook|\bkf[a-z]{2,6}\b|\bsm-[tx][0-9]|nexus (?:7|9|10)\b/i
const ANDROID = /android/i
const MOBILE =
  /mobi|iphone|ipod|windows phone|blackberry|bb10|opera mini|kaios|symbian|\bpsp\b|up\.browser|midp/i
const DESKTOP = /windows nt|macintosh|mac os x|cros |x11|linux (?:x86_64|i686|aarch64)|\bwin64\b/i

const OS_NAMES: readonly (readonly [OsName, RegExp])[] = [
  ['other', /windows phone|apple ?tv|tvos|tizen|web0s|webos|playstation|nintendo|kaios|blackberry|bb10/i],
  ['Android', /android|fire ?os|\bsilk\//i],
  ['iOS', /iphone|ipad|ipod|\bios\b|ipados/i],
  ['Windows', /windows|xbox|\bwin(?:32|64)\b/i],
  ['macOS', /mac ?os|macintosh|\bos x\b/i],
  ['Chrome OS', /\bcros\b|chrom(?:e|ium) ?os/i],
  ['Linux', /linux|x11|ubuntu/i],
]

/** Results for known agent strings: few of them make up most of the traffic. */
const knownAgents = createRecent<string, { device: Device | null; os: OsName }>(8192)

function readUa(ua: string): { device: Device | null; os: OsName } {
  const text = short(ua)
  let read = knownAgents.get(text)
  if (read === undefined) {
    read = { device: deviceFromUa(text), os: osName(text) }
    knownAgents.set(text, read)
  }
  return read
}

export function deviceOf(agent: Agent): Device | null {
  return deviceFromHints(agent) ?? (agent.ua === null ? null : readUa(agent.ua).device)
}

/** Phone or tablet, if it is known to be one of the two. */
export function handheldOf(agent: Agent): Device {
  const device = deviceOf(agent)
  // Only iPadOS is a handheld that claims to be a desktop.
  if (device === 'desktop') return 'tablet'
  return device ?? 'mobile'
}

function deviceFromHints(agent: Agent): Device | null {
  if (agent.hintMobile === true) return TABLET.test(short(agent.ua)) ? 'tablet' : 'mobile'
  if (agent.hintMobile === null || agent.hintPlatform === null) return null
  if (TELEVISION.test(short(agent.ua))) return null
  const os = osName(agent.hintPlatform)
  if (os === 'Android' || os === 'iOS') return 'tablet'
  return os === 'other' ? null : 'desktop'
}

function deviceFromUa(text: string): Device | null {
  if (TELEVISION.test(text)) return null
  if (TABLET.test(text)) return 'tablet'
  if (MOBILE.test(text)) return 'mobile'
  if (ANDROID.test(text)) return 'tablet'
  return DESKTOP.test(text) ? 'desktop' : null
}

/** From the first text that says something: the declared name, a hint, or the agent string. */
export function osOf(declared: string | null, agent: Agent): OsName | null {
  const named = declared || agent.hintPlatform
  if (named) return osName(named)
  return agent.ua ? readUa(agent.ua).os : null
}

function osName(text: string): OsName {
  const bounded = short(text)
  for (const [name, pattern] of OS_NAMES) if (pattern.test(bounded)) return name
  return 'other'
}

function short(text: string | null): string {
  if (text === null) return ''
  return text.length > LONGEST_UA ? text.slice(0, LONGEST_UA) : text
}

/** The hints that a browser sends in headers (`?1`, `"Windows"`). */
export function agentOfHeaders(headers: Record<string, string | string[] | undefined>): Agent {
  const ua = single(headers['user-agent'])
  const mobile = single(headers['sec-ch-ua-mobile'])
  const platform = single(headers['sec-ch-ua-platform'])
  return {
    ua: ua === null || ua === '' ? null : short(ua),
    hintMobile: mobile === '?1' ? true : mobile === '?0' ? false : null,
    hintPlatform: platform === null ? null : platform.replaceAll('"', '').trim().slice(0, 64) || null,
  }
}

function single(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : (value?.[0] ?? null)
}
