// The console itself, for somebody who is signed in.

import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './shell/shell.css'
import './shell/touch.css'
// Those of the first page, in the same file.
import './overview/overview.css'
import './overview/meter.css'
import './stats/chart.css'
import './notes/notes.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import type { Session } from './session/session.ts'

/** `session`: null if it could not be read. */
export function start(session: Session | null): void {
  createRoot(document.getElementById('root')!).render(<App known={session} />)
}
