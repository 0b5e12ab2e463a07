// The sign-in as HTML. The build writes it into the page, so that its words are there before any script; the script
// draws it again with what it knows.

import type { enDoor } from '../words/en-door.ts'

export type DoorWord = keyof typeof enDoor
export interface Door {
  language: string
  languages: Readonly<Record<string, string>>
  dark: boolean
  /** With HTML of its own for the logo; null until it is known. */
  brand: { title: string; logo: string | null } | null
  /** Whether there is a sign-in by passcode; without it only staff can sign in. */
  passcodes: boolean
  staff: boolean
  /** Whether the token can be read as it is typed. */
  shown: boolean
  /** The address to which a passcode was sent. */
  sentTo: string | null
  busy: boolean
  refusal: string | null
  /** What is wrong with the address. */
  emailError: string | null
}

export const CLOSED: Omit<Door, 'language' | 'languages'> = {
  dark: false,
  brand: null,
  passcodes: true,
  staff: false,
  shown: false,
  sentTo: null,
  busy: false,
  refusal: null,
  emailError: null,
}

type Say = (word: DoorWord, values?: Record<string, string>) => string

export function doorHtml(door: Door, say: Say): string {
  const { staff, refusal } = door
  const other =
    door.passcodes && button('door-link', 'staff', say(staff ? 'signIn.asCustomer' : 'signIn.asStaff'))
  return `<main class="sign-in"><div class="door">
${brandHtml(door.brand)}
<section class="door-card">
<h1 class="l">${plain(say(staff ? 'signIn.staffTitle' : 'signIn.title'))}</h1>
<p class="q">${plain(say(staff ? 'signIn.staffAbout' : 'signIn.about'))}</p>
${refusal === null ? '' : `<p class="door-refusal" role="alert">${plain(refusal)}</p>`}
<form>${staff ? staffFields(door, say) : passcodeFields(door, say)}
<button class="door-go" type="submit"${door.busy ? ' aria-busy="true"' : ''}>${plain(
    say(staff || door.sentTo !== null ? 'signIn.enter' : 'signIn.sendPasscode'),
  )}</button>
${!staff && door.sentTo !== null ? button('door-link', 'again', say('signIn.sendAgain')) : ''}</form>
${other || ''}
</section>
${lookHtml(door, say)}
</div></main>`
}

const MARK =
  '<span class="mark"><svg width="16" height="16" viewBox="4 5 24 23" aria-hidden="true"><path d="M8 23V10l8 8 8-8v13" fill="none" stroke="currentColor" stroke-width="3.6" stroke-linecap="round" stroke-linejoin="round"/></svg></span>'

function brandHtml(brand: Door['brand']): string {
  if (brand === null) return '<span class="brand" data-centred></span>'
  const mark = brand.logo === null ? MARK : `<img src="${plain(brand.logo)}" alt="" height="26">`
  return `<span class="brand" data-centred>${mark}<span class="trunc">${plain(brand.title)}</span></span>`
}

function passcodeFields({ sentTo, emailError }: Door, say: Say): string {
  const email = field('email', say('signIn.email'), 'type="email" autocomplete="email"', emailError)
  if (sentTo === null) return email
  const sent = `<span class="q s" id="sent">${plain(say('session.passcodeSent', { email: sentTo }))}</span>`
  const code = 'inputmode="numeric" autocomplete="one-time-code" pattern="[0-9\\s]*" aria-describedby="sent"'
  return email + field('passcode', say('signIn.passcode'), code, null, sent)
}

function staffFields({ shown }: Door, say: Say): string {
  const token = `type="${shown ? 'text' : 'password'}" autocomplete="current-password" spellcheck="false"`
  return (
    field('superkey', say('signIn.superkey'), 'autocomplete="username"') +
    field('supertoken', say('signIn.supertoken'), token) +
    button('door-link s', 'shown', say(shown ? 'signIn.hideToken' : 'signIn.showToken'))
  )
}

function field(
  id: string,
  label: string,
  attributes: string,
  error: string | null = null,
  about = '',
): string {
  const wrong = error === null ? '' : `<span class="door-wrong s" id="wrong">${plain(error)}</span>`
  const described = error === null ? '' : ' aria-invalid="true" aria-describedby="wrong"'
  return `<div class="door-field"><label for="${id}">${plain(label)}</label>${about}<input id="${id}" required ${attributes}${described}>${wrong}</div>`
}

function lookHtml({ language, languages, dark }: Door, say: Say): string {
  const choices = Object.entries(languages).map(([name, label]) => {
    const checked = name === language ? ' checked' : ''
    return `<label lang="${name}"><input type="radio" name="language" value="${name}"${checked}><span>${label}</span></label>`
  })
  const scheme = plain(say(dark ? 'shell.light' : 'shell.dark'))
  return `<div class="door-look"><div class="door-languages" role="radiogroup" aria-label="${plain(say('shell.language'))}">${choices.join('')}</div>
<button class="door-scheme" type="button" data-do="scheme" aria-label="${scheme}"><svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><path d="${dark ? SUN : MOON}" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round"/></svg></button></div>`
}

const SUN =
  'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.8v1.1M8 13.1v1.1M1.8 8h1.1M13.1 8h1.1M3.6 3.6l.8.8M11.6 11.6l.8.8M12.4 3.6l-.8.8M4.4 11.6l-.8.8'
const MOON = 'M13.33 9.67A5.33 5.33 0 0 1 6.33 2.67 5.33 5.33 0 1 0 13.33 9.67'

function button(className: string, deed: string, text: string): string {
  return `<button class="${className}" type="button" id="${deed}" data-do="${deed}">${plain(text)}</button>`
}

function plain(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
