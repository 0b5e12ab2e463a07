// Notices when something was counted today; then all figures of the page are read again at once.

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../api/client.ts'

/** The shortest time between two reads, however much is counted. */
const PAUSE_MS = 2000

/** Whether the service is currently sending events. */
export function useLiveFigures(cuid: number): boolean {
  const client = useQueryClient()
  const [isLive, setLive] = useState(false)
  useEffect(() => {
    const stream = new EventSource(api.urlOf('readLive', { cuid }))
    stream.onopen = () => setLive(true)
    stream.onerror = () => setLive(false)
    let isFirst = true
    let timer: ReturnType<typeof setTimeout> | undefined
    let askedMs = Date.now()
    const ask = () => {
      timer = undefined
      askedMs = Date.now()
      client.invalidateQueries({ queryKey: ['figures', cuid] }, { cancelRefetch: false })
    }
    stream.addEventListener('totals', () => {
      // The first message only gives the current state, which the page has just read.
      if (!isFirst) timer ??= setTimeout(ask, Math.max(0, askedMs + PAUSE_MS - Date.now()))
      isFirst = false
    })
    return () => {
      clearTimeout(timer)
      stream.close()
    }
  }, [client, cuid])
  return isLive
}
