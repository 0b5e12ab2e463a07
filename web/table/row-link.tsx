// A link in a row. The router's own link computes its address anew for each row that scrolls into view; here the part
// that all rows share is computed once per page.

import { useRouter } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, useCallback } from 'react'

export type LinkTo = (path: string, name: ReactNode) => ReactNode

/** Makes links to pages of the console that keep the period in the address. */
export function useRowLinks(): LinkTo {
  const router = useRouter()
  const { href } = router.buildLocation({ to: '/campaigns', search: {} } as never)
  const [page, search = ''] = href.split('?')
  const base = page!.slice(0, -'/campaigns'.length)
  return useCallback(
    (path, name) => {
      const address = base + path + (search === '' ? '' : `?${search}`)
      const go = (event: MouseEvent) => {
        const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
        if (event.button !== 0 || opensElsewhere) return
        event.preventDefault()
        router.history.push(address)
      }
      const prepare = () => void router.preloadRoute({ to: path } as never).catch(() => {})
      return (
        <a href={address} className="strong-link" onClick={go} onPointerEnter={prepare}>
          {name}
        </a>
      )
    },
    [router, base, search],
  )
}
