// API calls within a session. If the session has ended, a call waits for a new sign-in and is then sent again, so that
// a form continues where it was. Each call names the customer that this tab works as.

import { noteTime } from '../sandbox/clock.ts'

const LOST = ['session_ended', 'credentials_missing']
const RETRY_TIMEOUT_MS = 30_000

let signInAgain: (() => Promise<boolean>) | null = null
/** Kept for this tab alone, from page to page. */
const STORED = 'marquee-as'
let actingAs: string | null = sessionStorage.getItem(STORED)

/** How the page asks for a new sign-in; false: it was cancelled. */
export function onLostSession(ask: typeof signInAgain): void {
  signInAgain = ask
}

const TOO_LOW = ['scope_too_low', 'role_too_low']
let rightsChanged: (() => void) | null = null

/** What to do when the service refuses a call that the page offered: the reader's rights were reduced. */
export function onRightsChanged(react: typeof rightsChanged): void {
  rightsChanged = react
}

/** The customer that this tab works as, or `app`; tabs of one browser may differ. */
export function workAs(who: number | 'app' | null): void {
  actingAs = who === null ? null : String(who)
  if (actingAs === null) sessionStorage.removeItem(STORED)
  else sessionStorage.setItem(STORED, actingAs)
}

export const fetchInSession: typeof fetch = async (input, init) => {
  const response = await send(input, init)
  if (response.status === 403 && TOO_LOW.includes(await codeOf(response))) rightsChanged?.()
  if (response.status !== 401 || !signInAgain || String(input).includes('/console/api/')) return response
  if (!LOST.includes(await codeOf(response)) || !(await signInAgain())) return response
  return send(input, { ...init, signal: AbortSignal.timeout(RETRY_TIMEOUT_MS) })
}

async function codeOf(response: Response): Promise<string> {
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { code?: string } | null
  return body?.code ?? ''
}

/** As staff, whichever customer this tab works as. */
export const fetchAsApp: typeof fetch = (input, init) => sendAs('app', input, init)

function send(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Promise<Response> {
  return sendAs(actingAs, input, init)
}

async function sendAs(
  who: string | null,
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
): Promise<Response> {
  const headers = { ...(init?.headers as Record<string, string>), ...(who ? { 'x-marquee-as': who } : {}) }
  const response = await fetch(input, { ...init, headers })
  noteTime(response)
  return response
}
