// What the API refuses, in the reader's language. The API speaks English to programmers; here each of its messages is
// recognised by a pattern and translated. A message that is not recognised is described by its code, never by its text.

import { MarqueeError } from '../../sdk/client.ts'
import { dateTime, integer, kilobytes, money, timeRange } from '../format/format.ts'
import { FIELD_RULES, findRule, PROBLEM_RULES, REVIEW_RULES, type Rule } from './error-rules.ts'
import { isWord, t, type Word } from './words.ts'

const KINDS: [RegExp, Word][] = [
  [/SVG/, 'kind.svg'],
  [/web page/, 'kind.page'],
  [/PDF/, 'kind.pdf'],
  [/BMP/, 'kind.bmp'],
  [/TIFF/, 'kind.tiff'],
  [/Photoshop/, 'kind.psd'],
  [/ZIP/, 'kind.zip'],
  [/AVIF/, 'kind.avif'],
  [/video/, 'kind.video'],
]

const number = (text: string) => Number(text.replaceAll(',', ''))

/** How a part of a message is written for a reader. */
function write(how: string, text: string, next: string | undefined, timeZone: string): string {
  switch (how) {
    case 'money':
      return money(number(text))
    case 'count':
      return integer(number(text))
    case 'weight':
      return kilobytes(number(text))
    case 'size':
      return text.replace('x', ' × ')
    case 'time':
      return dateTime(number(text), timeZone)
    case 'range':
      return timeRange(number(text), number(next ?? text), timeZone)
    case 'kind':
      return t(KINDS.find(([form]) => form.test(text))?.[1] ?? 'kind.unknown')
    case 'flight':
      return text
        .replace(/^flight \d+ "(.*)"/, '$1')
        .replace(/(\d{9,11}) to (\d{9,11})/g, (_, from, to) => timeRange(number(from), number(to), timeZone))
    default:
      return text
  }
}

function say(rules: readonly Rule[], message: string, timeZone: string): string | null {
  const rule = findRule(rules, message)
  if (!rule) return null
  const values = rule.names.map((entry, index) => {
    const [name, how] = entry.split(':') as [string, string]
    return [name, write(how, rule.found[index] ?? '', rule.found[index + 1], timeZone)]
  })
  return t(rule.word, Object.fromEntries(values))
}

/** At a field. Null: no rule matches the message. */
export function fieldSentence(message: string, timeZone: string): string | null {
  return say(FIELD_RULES, message, timeZone) ?? say(REVIEW_RULES, message, timeZone)
}

/** A reason of a review. */
export function reasonSentence(reason: string, timeZone = 'UTC'): string {
  return say(REVIEW_RULES, reason, timeZone) ?? reason
}

/** Of whatever a call has thrown. */
export function problemSentence(error: unknown, timeZone = 'UTC'): string {
  if (error instanceof MarqueeError) {
    if (error.code === 'timeout') return t('code.timeout')
    if (error.code === 'network_error') return t('code.offline')
    const [first] = error.errors
    const about = first?.path === '/file' ? fieldSentence(first.message, timeZone) : null
    return say(PROBLEM_RULES, error.message, timeZone) ?? about ?? codeSentence(error.code, error.status)
  }
  return t('code.unknown')
}

/** By the code and status of an answer, such as that of a part of a bulk call. */
export function codeSentence(code: string, status: number): string {
  const word = `code.${code}`
  if (isWord(word)) return t(word)
  return t(status >= 500 ? 'code.internal' : 'code.unknown')
}
