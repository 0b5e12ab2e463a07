// Browser contexts that are used again. The first page of a context compiles the console's scripts; in one that has
// shown it before, a page costs the processor a third of that. What a context has learned of a test goes when it is
// closed: cookies, what pages have stored, and being offline.

import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'

interface Kept {
  context: BrowserContext
  end(): Promise<void>
}

export interface Contexts {
  /** One with these options that nobody else uses, as good as new. `close` gives it back. */
  open(options: BrowserContextOptions): Promise<BrowserContext>
  /** Ends those that were not given back, as by a test that failed. */
  endOpen(): Promise<void>
}

/** For pages of `origin`, which answers `still` with something that runs no scripts. */
export function createContexts(browser: Browser, origin: string, still: string): Contexts {
  const closed = new Map<string, Kept[]>()
  const open = new Set<Kept>()

  async function create(options: BrowserContextOptions, kind: string): Promise<Kept> {
    const context = await browser.newContext(options)
    // As long as it has a page, its process lives, and with it what was compiled.
    const keeper = await context.newPage()
    await keeper.goto(`${origin}${still}`)
    const cleaner = await context.newCDPSession(keeper)
    const kept = { context, end: context.close.bind(context) }
    context.close = async () => {
      open.delete(kept)
      await Promise.all(context.pages().map(page => page === keeper || page.close()))
      await context.setOffline(false)
      await context.clearCookies()
      await cleaner.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
      closed.set(kind, [...(closed.get(kind) ?? []), kept])
    }
    return kept
  }

  return {
    async open(options) {
      const kind = JSON.stringify(options)
      const kept = closed.get(kind)?.pop() ?? (await create(options, kind))
      open.add(kept)
      return kept.context
    },
    async endOpen() {
      for (const { end } of open) await end()
      open.clear()
    },
  }
}
