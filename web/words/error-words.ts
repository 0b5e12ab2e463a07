// Refusals and findings of the API in the reader's language. The API sends a code and values; here each code has a
// word, and the values are formatted for the reader. The API's English sentences are for programmers and are not shown.

import { type ErrorReason, type FieldErrorCode, MarqueeError } from '../../sdk/client.ts'
import { dateTime, kilobytes, money, timeRange } from '../format/format.ts'
import { FIELD_WORDS, REASON_WORDS } from './error-codes.ts'
import { isWord, named, t, type Word } from './words.ts'

/** A wrong field, or what a review or an issue found. */
interface Coded {
  code: FieldErrorCode
  params: object
}

/** The refusal of a call, or of one operation of many. */
interface Refusal {
  code: string
  status: number
  reason?: string | undefined
  params?: object | undefined
  errors?: readonly (Coded & { path: string })[] | undefined
}

/** The sentence about a field, an image, a place or a campaign. */
export function fieldSentence({ code, params }: Coded, timeZone = 'UTC'): string {
  // An empty field is sent as null, which has the wrong type.
  if (code === 'wrong_type' && 'found' in params && params.found === 'null') return t('error.required')
  // A newer service may know more codes.
  return say(FIELD_WORDS[code] ?? 'error.form', params, timeZone)
}

/** The sentence about anything that a call threw. */
export function problemSentence(error: unknown, timeZone = 'UTC'): string {
  return error instanceof MarqueeError ? refusalSentence(error, timeZone) : t('code.unknown')
}

/** The call was not refused: somebody else has to decide. */
export function isProposed(error: unknown): boolean {
  return error instanceof MarqueeError && error.code === 'proposed'
}

export function refusalSentence(refusal: Refusal, timeZone: string): string {
  const { code, status, reason = code, params = {}, errors = [] } = refusal
  if (code === 'network_error') return t('code.offline')
  const word = REASON_WORDS[reason as ErrorReason]
  if (word) return say(word, params, timeZone)
  const [first] = errors
  if (first?.path === '/file') return fieldSentence(first, timeZone)
  const byCode = `code.${code}`
  return t(isWord(byCode) ? byCode : status >= 500 ? 'code.internal' : 'code.unknown')
}

function say(word: Word, params: object, timeZone: string): string {
  const { start, end } = params as { start?: number; end?: number }
  const period = start !== undefined && end !== undefined ? { period: timeRange(start, end, timeZone) } : {}
  const { expected } = params as { expected?: unknown }
  const isAmount = expected === 'amount'
  const values = Object.entries(params).map(([name, value]) => [
    name,
    isAmount && typeof value === 'number' ? money(value) : written(name, value, timeZone),
  ])
  return t(word, { ...countOf(params), ...Object.fromEntries(values), ...period })
}

/** The number that decides between singular and plural. */
function countOf(params: object): { count?: number } {
  const { ads, imps, seen } = params as { ads?: number; imps?: number; seen?: number }
  const count = ads ?? imps ?? seen
  return count === undefined ? {} : { count }
}

/** A value formatted for the reader, by its name. `t` formats all other numbers. */
function written(name: string, value: unknown, timeZone: string): string | number {
  switch (name) {
    case 'start':
    case 'end':
    case 'resumes':
      return dateTime(Number(value), timeZone)
    case 'cpm':
    case 'needed':
      return money(Number(value))
    case 'bytes':
    case 'maxBytes':
      return kilobytes(Number(value))
    case 'width':
    case 'height':
    case 'declaredWidth':
    case 'declaredHeight':
    case 'status':
      return String(value)
    case 'kind':
      return named('kind', String(value))
    default:
      return typeof value === 'number' ? value : Array.isArray(value) ? value.join(', ') : String(value)
  }
}
