// The state of a campaign, flight, persona or banner in one word; the colour only repeats it.

import { Badge } from '@mantine/core'
import { named } from '../words/words.ts'

const COLOURS: Record<string, string> = {
  running: 'green',
  approved: 'green',
  on: 'green',
  scheduled: 'blue',
  pending: 'yellow',
  spent: 'orange',
  paused: 'gray',
  ended: 'gray',
  rejected: 'red',
  off: 'gray',
  unused: 'gray',
}

export function StatusBadge({ status }: { status: string }) {
  return (
    <Badge color={COLOURS[status] ?? 'gray'} className={`status status-${COLOURS[status] ?? 'gray'}`}>
      {named('status', status)}
    </Badge>
  )
}
