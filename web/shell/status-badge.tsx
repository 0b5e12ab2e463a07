// The state of a campaign, flight, persona, banner or webhook in one word; the colour only repeats it.

import { named } from '../words/words.ts'

const COLOURS: Record<string, string> = {
  running: 'green',
  approved: 'green',
  on: 'green',
  scheduled: 'blue',
  pending: 'yellow',
  spent: 'orange',
  off_hours: 'blue',
  incomplete: 'orange',
  paused: 'gray',
  frozen: 'red',
  ended: 'gray',
  rejected: 'red',
  off: 'gray',
  unused: 'gray',
  waiting: 'yellow',
  delivered: 'green',
  done: 'green',
  failed: 'red',
}

/** `text`: where one word is not enough. */
export function StatusBadge({ status, text }: { status: string; text?: string }) {
  return (
    <span className={`status status-${COLOURS[status] ?? 'gray'}`}>{text ?? named('status', status)}</span>
  )
}
