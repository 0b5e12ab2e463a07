// A part of the console that could not be loaded: there is no connection, or the service has a newer version. The page
// around it stays and says so; as soon as the service answers, all of it is loaded anew.

import { type ErrorComponentProps, lazyRouteComponent } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { consoleBase, MarqueeError } from '../api/client.ts'
import { useOnline } from './offline.tsx'
import { Refused } from './states.tsx'

class MissingPart extends Error {}

/** A page that is loaded when it is first opened. */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((cause: unknown) => {
        // The router would load its own kind anew at once: without a connection, nothing of the console would be left.
        throw new MissingPart('A page was not loaded.', { cause })
      }),
    name,
  )

/** As browsers and the bundler say it. */
const MISSING = /dynamically imported module|module script failed|preload CSS/i
const isMissingPart = (error: unknown) =>
  error instanceof MissingPart || (error instanceof Error && MISSING.test(error.message))

const UNREACHABLE = new MarqueeError(0, { code: 'network_error' })

/** What stands in place of a page that has failed. */
export function Failed({ error, reset }: ErrorComponentProps) {
  const isPart = isMissingPart(error)
  const online = useOnline()
  // What is missing even after that is not tried for ever.
  const [tries] = useState(() => isPart && !wasJustLoaded())
  useEffect(() => {
    if (!tries || !online) return
    loadAnew()
    const timer = setInterval(loadAnew, AGAIN_MS)
    return () => clearInterval(timer)
  }, [tries, online])
  if (isPart) return <Refused error={UNREACHABLE} onRetry={loadAnew} />
  return <Refused error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
}

/** If nobody answers, the browser would show a page of its own. */
async function loadAnew(): Promise<void> {
  const answer = await fetch(new URL('icon.svg', consoleBase), { cache: 'no-store' }).catch(() => null)
  if (!answer?.ok) return
  sessionStorage.setItem(LOADED, String(Date.now()))
  window.location.reload()
}

const LOADED = 'marquee-loaded-anew'
const PAUSE_MS = 10_000
const AGAIN_MS = 3_000

function wasJustLoaded(): boolean {
  return Date.now() - Number(sessionStorage.getItem(LOADED) ?? 0) < PAUSE_MS
}
