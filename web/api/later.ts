// Calls whose contracts are not in the client yet, in the same manner.

import { apiRoot, MarqueeError } from './client.ts'
import type { Issue } from './shapes.ts'

async function get<Answer>(path: string): Promise<Answer> {
  const response = await fetch(apiRoot + path, {
    headers: { accept: 'application/json', 'x-marquee-csrf': '1' },
    credentials: 'same-origin',
  })
  const body: unknown = await response.json().catch(() => ({}))
  if (!response.ok) {
    throw new MarqueeError(
      response.status,
      body as Partial<MarqueeError>,
      response.headers.get('x-request-id'),
    )
  }
  return body as Answer
}

/** What keeps a customer's campaigns from delivering. */
export const listIssues = (cuid: number) => get<Issue[]>(`/issues?cuid=${cuid}`)
