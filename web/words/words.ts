// All words of the console, in one catalogue per language. `t` fills in {names} and formats numbers for the reader; `|`
// separates singular and plural.

import { deDoor } from './de-door.ts'
import type { Catalogue } from './en.ts'
import { enDoor } from './en-door.ts'

export type Language = 'en' | 'de'
export type Word = keyof Catalogue
export const LANGUAGES: Record<Language, string> = { en: 'English', de: 'Deutsch' }

const STORED = 'marquee-language'
let current: Language = 'en'
/** Empty until the reader's language is loaded. */
let words: Partial<Catalogue> = {}
let plural = new Intl.PluralRules('en')

export function language(): Language {
  return current
}

let variant = variantOf('en')

/** For Intl: the reader's own variant of the language, such as en-GB. */
export function locale(): string {
  return variant
}

function variantOf(spoken: Language): string {
  return navigator.languages.find(name => name.split('-')[0] === spoken) ?? spoken
}

export function preferredLanguage(): Language {
  const stored = localStorage.getItem(STORED)
  if (stored === 'en' || stored === 'de') return stored
  return navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en'
}

/** Each language has its own file, and only that one is loaded. */
export async function speak(next: Language): Promise<void> {
  take(next, next === 'de' ? (await import('./de.ts')).de : (await import('./en.ts')).en)
}

/** Only the words of the sign-in, which need not be loaded. */
export function speakAtDoor(next: Language): void {
  take(next, next === 'de' ? deDoor : enDoor)
}

function take(next: Language, catalogue: Partial<Catalogue>): void {
  words = catalogue
  current = next
  variant = variantOf(next)
  plural = new Intl.PluralRules(next)
  document.documentElement.lang = next
}

export function keepLanguage(next: Language): void {
  localStorage.setItem(STORED, next)
}

export function t(word: Word, values: Record<string, string | number> = {}): string {
  const text: string = words[word] ?? word
  const forms = text.split('|')
  const chosen = forms.length > 1 && plural.select(Number(values.count)) !== 'one' ? forms[1]! : forms[0]!
  return chosen.replace(/\{(\w+)\}/g, (whole, name: string) => inWords(values[name] ?? whole))
}

/** Isolates text that is written from right to left or changes the direction, so that it affects only itself. */
function inWords(value: string | number): string {
  if (typeof value === 'number') return value.toLocaleString(locale())
  return DIRECTED.test(value) ? `\u2068${value}\u2069` : value
}

const DIRECTED = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/u

export function isWord(name: string): name is Word {
  return Object.hasOwn(words, name)
}

/** For words named by data, such as a status or a reason; the data itself if there is no word. */
export function named(prefix: string, name: string): string {
  const word = `${prefix}.${name}`
  return (isWord(word) && words[word]) || name.replaceAll('_', ' ')
}
