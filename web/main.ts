// Starts the console. Without a session only the sign-in is loaded; else all that the first page needs, beside the
// question who is signed in.

import './shell/tokens.css'
import { api, consoleBase } from './api/client.ts'
import { appInAddress, deepLinkOf, insideAt } from './session/deep-link.ts'
import { openDoor } from './session/door.ts'
import type { Session } from './session/session.ts'
import { redeemTicketInAddress, ticketRefusal } from './session/ticket.ts'
import { keepLanguage, language, preferredLanguage, speak, speakAtDoor } from './words/words.ts'

// A file dropped beside its zone must not replace the page.
for (const event of ['dragover', 'drop']) window.addEventListener(event, dropped => dropped.preventDefault())

const root = document.getElementById('root')!
const load = () => Promise.all([import('./start.tsx'), speak(preferredLanguage())])
speakAtDoor(preferredLanguage())
// Begun at once where somebody seems to be signed in: the server saw the cookie.
if (!root.querySelector('.door')) load().catch(() => {})
open()

/** Not awaited by the module: what it loads needs the module itself. */
async function open(): Promise<void> {
  const session =
    (await redeemTicketInAddress()) ?? (await api.readSession({ app: appInAddress }).catch(() => null))
  if (session?.level === 'none') askToSignIn(session)
  else await begin(session)
}

async function begin(known: Session | null): Promise<void> {
  const [{ start }] = await load()
  start(known)
}

function askToSignIn(known: Session): void {
  const { href } = window.location
  const to = isSignIn(href) ? (new URL(href).searchParams.get('to') ?? undefined) : deepLinkOf(href)
  const page = new URL('sign-in', consoleBase)
  if (to !== undefined) page.searchParams.set('to', to)
  if (!isSignIn(href)) window.history.replaceState(null, '', page)
  const draw = () =>
    openDoor(root, {
      session: known,
      refusal: ticketRefusal(),
      async enter(body) {
        const entered = await api.signIn({ body })
        window.history.pushState(null, '', insideAt(to))
        end()
        await begin(entered)
      },
      onLanguage(next) {
        keepLanguage(next)
        speakAtDoor(next)
        end()
        end = draw()
      },
      onScheme(next) {
        localStorage.setItem('marquee-color-scheme', next)
        document.documentElement.dataset.mantineColorScheme = next
      },
      onSent: preloadNext,
    })
  let end = draw()
}

function isSignIn(href: string): boolean {
  return new URL(href).pathname === new URL('sign-in', consoleBase).pathname
}

/** What the build found that the first page needs. */
function preloadNext(): void {
  for (const href of (root.dataset.next ?? '').split(' ').filter(Boolean)) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = href
    document.head.append(link)
  }
  speak(language()).catch(() => {})
}
