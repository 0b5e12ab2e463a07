// Rings when something was counted today: then the figures of the page are asked for again, all of them at once.

import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../api/client.ts'

/** Not more often, however much is counted. */
const PAUSE_MS = 2000

export function useLiveFigures(cuid: number): void {
  const client = useQueryClient()
  useEffect(() => {
    const stream = new EventSource(api.urlOf('readLive', { cuid }))
    let isFirst = true
    let timer: ReturnType<typeof setTimeout> | undefined
    let askedMs = Date.now()
    const ask = () => {
      timer = undefined
      askedMs = Date.now()
      client.invalidateQueries({ queryKey: ['figures', cuid] }, { cancelRefetch: false })
    }
    stream.addEventListener('totals', () => {
      // The first only says how things stand, which the page has just asked.
      if (!isFirst) timer ??= setTimeout(ask, Math.max(0, askedMs + PAUSE_MS - Date.now()))
      isFirst = false
    })
    return () => {
      clearTimeout(timer)
      stream.close()
    }
  }, [client, cuid])
}
