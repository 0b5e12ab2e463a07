// Debian's Chromium, driven by Playwright; CHROMIUM names another one.

import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The one without windows takes much less of the processor; the whole one does as well. */
const INSTALLED = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? INSTALLED.find(existsSync) ?? 'chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // The pages of a context share one process, and what it has compiled.
      '--renderer-process-limit=1',
      // A page lives for seconds here: what the optimising compilers cost is never earned back. The quick one compiles
      // everything at once, for all pages to come, and new objects have room until their page is gone.
      '--js-flags=--no-maglev --no-turbofan --always-sparkplug --no-flush-bytecode --min-semi-space-size=32 --max-semi-space-size=64',
    ],
  })
}

let shared: Promise<Browser> | undefined

/** One for all test files of this process, which ends with it: it takes a second to start, and compiles what it shows. */
export async function sharedChromium(): Promise<Browser> {
  if (!(await shared)?.isConnected()) shared = launchChromium()
  return shared!
}
