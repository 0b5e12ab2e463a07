// Starts the console: words first, then the session, then the page in the address.

import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './shell/tokens.css'
import './shell/shell.css'
import './shell/touch.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { redeemTicketInAddress } from './session/ticket.ts'
import { preferredLanguage, speak } from './words/words.ts'

// A file dropped beside its zone must not replace the page.
for (const event of ['dragover', 'drop']) window.addEventListener(event, dropped => dropped.preventDefault())

const [redeemed] = await Promise.all([redeemTicketInAddress(), speak(preferredLanguage())])
createRoot(document.getElementById('root')!).render(<App redeemed={redeemed} />)
