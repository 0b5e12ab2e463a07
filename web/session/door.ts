// The sign-in before anything else of the console is loaded: by email and passcode for customers, by super key and token
// for an app's staff. What was typed before the script came is kept.

import './door.css'
import { api, imageUrl } from '../api/client.ts'
import { LANGUAGES, type Language, language, speak, t } from '../words/words.ts'
import { appInAddress } from './deep-link.ts'
import { CLOSED, type Door, doorHtml } from './door-html.ts'
import type { Session, SignIn } from './session.ts'

interface DoorOptions {
  session: Session
  /** Why a link in the address did not sign in; null if there is nothing to say. */
  refusal: unknown
  enter(input: SignIn): Promise<unknown>
  onLanguage(next: Language): void
  onScheme(next: 'dark' | 'light'): void
  /** A passcode was sent: the rest of the console will soon be needed. */
  onSent?(): void
}

/** Draws it into an element; gives back what ends it. */
export function openDoor(root: HTMLElement, options: DoorOptions): () => void {
  const { brand, passcodes } = options.session
  const scheme = document.documentElement.dataset
  let state = { ...CLOSED, passcodes, staff: !passcodes }
  let request = ''
  let tries = 0
  const colour = document.createElement('style')
  colour.textContent = `:root{--brand:${CSS.supports('color', brand.color ?? '') ? brand.color : ''}}`
  if (brand.color) document.head.append(colour)

  const value = (id: string) => root.querySelector<HTMLInputElement>(`#${id}`)?.value.trim() ?? ''
  const draw = (change: Partial<Door> = {}, focus = document.activeElement?.id ?? '') => {
    state = { ...state, ...change }
    const typed = [...root.querySelectorAll<HTMLInputElement>('.door-field input')].map(one => [
      one.id,
      one.value,
    ])
    root.innerHTML = doorHtml(
      {
        ...state,
        language: language(),
        languages: LANGUAGES,
        dark: scheme.mantineColorScheme === 'dark',
        brand: { title: brand.title, logo: brand.logo && imageUrl(brand.logo) },
      },
      t,
    )
    for (const [id, text] of typed) {
      const input = root.querySelector<HTMLInputElement>(`#${id}`)
      if (input) input.value = text!
    }
    root
      .querySelector<HTMLElement>(focus === '' ? '[data-focus]' : `#${focus}`)
      ?.focus({ preventScroll: true })
    document.title = `${t(state.staff ? 'signIn.staffTitle' : 'signIn.title')} – ${brand.title}`
  }

  /** An answer that comes after something else was asked for is not shown. */
  const attempt = async (deed: () => Promise<Partial<Door>>, where: 'refusal' | 'emailError') => {
    tries += 1
    const mine = tries
    draw({ busy: true, refusal: null, emailError: null })
    const change = await deed().catch(async error => ({ [where]: await sentenceOf(error) }))
    if (mine === tries) draw({ busy: false, ...change }, 'sentTo' in change ? 'passcode' : undefined)
  }
  const send = () =>
    attempt(async () => {
      const email = value('email')
      request = (await api.requestPasscode({ body: { email, app: appInAddress } })).request
      options.onSent?.()
      return { sentTo: email }
    }, 'emailError')
  const enter = () =>
    attempt(async () => {
      await options.enter(
        state.staff
          ? { superkey: value('superkey'), supertoken: value('supertoken') }
          : {
              email: value('email'),
              passcode: value('passcode').replaceAll(/\s/g, ''),
              request,
              app: appInAddress,
            },
      )
      return { busy: true }
    }, 'refusal')

  const deeds: Record<string, () => void> = {
    again: send,
    staff: () => draw({ staff: !state.staff, shown: false, sentTo: null, refusal: null, emailError: null }),
    shown: () => draw({ shown: !state.shown }),
    scheme: () => {
      options.onScheme(scheme.mantineColorScheme === 'dark' ? 'light' : 'dark')
      draw()
    },
  }
  root.onclick = ({ target }) =>
    deeds[(target as Element).closest<HTMLElement>('[data-do]')?.dataset.do ?? '']?.()
  root.onsubmit = event => {
    event.preventDefault()
    if (!state.busy) (state.staff || state.sentTo !== null ? enter : send)()
  }
  // Another address needs another passcode.
  root.oninput = ({ target }) => {
    if ((target as Element).id === 'email' && (state.sentTo !== null || state.emailError !== null))
      draw({ sentTo: null, emailError: null })
  }
  root.onchange = ({ target }) => {
    const { name, value: chosen } = target as HTMLInputElement
    if (name === 'language') options.onLanguage(chosen as Language)
  }
  draw()
  if (options.refusal !== null) sentenceOf(options.refusal).then(refusal => draw({ refusal }))
  return () => {
    tries += 1
    colour.remove()
    root.onclick = root.onsubmit = root.oninput = root.onchange = null
  }
}

/** In the reader's language; the words for it are loaded when something is refused. */
async function sentenceOf(error: unknown): Promise<string> {
  try {
    const [{ problemSentence }] = await Promise.all([import('../words/error-words.ts'), speak(language())])
    return problemSentence(error)
  } catch {
    return t('common.unreachable')
  }
}
