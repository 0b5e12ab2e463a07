// Folds names, so that 'Trois-Rivières', 'TROIS RIVIERES' and 'trois rivieres (QC)' become the same. Takes linear time
// and limits the length; a folded name of ordinary length folds to itself.
import { CANONICAL_CITY } from './city-aliases.ts'

/** Longer than any name; the rest is cut off before folding. */
const MAX_UNITS = 400

// Letters that Unicode does not decompose into a base and a mark.
const PLAIN: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŋ: 'n',
  ə: 'a',
}

const WORD: Record<string, string> = { st: 'saint', sankt: 'saint', ste: 'sainte', ft: 'fort', mt: 'mount' }

// 'City' in Japanese, Chinese and Korean.
const CITY_ENDINGS = new Set(['shi', 'si'])

// Most names, and every folded name: only the case changes.
const PLAIN_WORDS = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/

const PAIR: Record<string, string> = { '(': ')', '[': ']', '{': '}' }
const OPENING = /[([{]/

/** Drops text in brackets; an unclosed bracket extends to the end. */
function withoutBrackets(text: string): string {
  if (!OPENING.test(text)) return text
  const open: string[] = []
  let kept = ''
  for (const char of text) {
    const close = PAIR[char]
    if (close !== undefined) open.push(close)
    else if (open.length > 0 && char === open[open.length - 1]) {
      open.pop()
      kept += ' '
    } else if (open.length === 0) kept += char
  }
  return kept
}

function plainWords(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'’‘ʼʻʹ`´]/g, '')
    .toLowerCase()
    .replace(/[ßøæœłđðþıħŋə]/g, letter => PLAIN[letter] ?? '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()
}

/** Folds case, diacritics and punctuation, and drops text in brackets unless there is nothing else. */
export function foldText(text: string): string {
  if (text.length <= MAX_UNITS && PLAIN_WORDS.test(text)) return text.toLowerCase()
  // Some letters expand to a whole sentence: ﷺ becomes 18 characters.
  const cut = text.slice(0, MAX_UNITS).normalize('NFKC').slice(0, MAX_UNITS)
  return plainWords(withoutBrackets(cut)) || plainWords(cut)
}

/** `foldText` for cities: 'St.' becomes 'Saint', 'Nara-shi' becomes 'Nara', and 'New York City' becomes 'New York'. */
export function foldName(text: string): string {
  return nameOfFolded(foldText(text))
}

/** `foldName` of a text that was already folded by `foldText`. */
export function nameOfFolded(folded: string): string {
  const words = folded.split(' ')
  while (words.length > 1 && CITY_ENDINGS.has(words[words.length - 1]!)) words.pop()
  const name = writtenOut(words)
  return CANONICAL_CITY.get(name) ?? name
}

/** 'st louis' → 'saint louis', from folded words. */
export function writtenOut(words: string[]): string {
  return words.map(word => WORD[word] ?? word).join(' ')
}
