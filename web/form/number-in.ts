// A number as a person types or pastes it, in their language: `1,000.50` in English, `1.000,50` in German, and vice
// versa if only one reading is possible. An ambiguous number is refused, not guessed, and so is an amount in a currency
// other than the one in which it would be spent.

export type TypedNumber =
  | { value: number }
  | { problem: 'empty' | 'no_number' | 'decimals' | 'currency'; meant?: number }

interface Separators {
  decimal: string
  group: string
}

export function separators(language: string): Separators {
  const parts = new Intl.NumberFormat(language, { useGrouping: true }).formatToParts(1_234_567.5)
  const of = (type: string) => parts.find(part => part.type === type)?.value
  const decimal = of('decimal') ?? '.'
  return { decimal, group: of('group') ?? (decimal === ',' ? '.' : ',') }
}

/** Currency signs, such as `$` and `CA$`, and codes; the spaces and apostrophes that some put between thousands. */
const AROUND = /^[A-Z]{0,3}\p{Sc}|[A-Z]{0,3}\p{Sc}$|^[A-Z]{3}(?=[\s\d.,+-])|(?<=[\s\d.,])[A-Z]{3}$/gu
const BETWEEN = /(?<=\d)[\s'’](?=\d{3}(?:\D|$))/g
const FORM = /^[+-]?(?:\d[\d.,]*|[.,]\d+)$/

/** `decimals`: how many the field takes. `currency`: the signs and the code of its currency. */
export function readNumberIn(
  typed: string,
  decimals: number,
  language: string,
  currency: readonly string[],
): TypedNumber {
  const whole = typed.trim().replace('−', '-')
  if (whole === '') return { problem: 'empty' }
  // The sign may stand before the currency.
  const sign = /^[+-]/.exec(whole)?.[0] ?? ''
  const amount = whole.slice(sign.length)
  const text = sign + amount.replace(AROUND, '').trim().replace(BETWEEN, '')
  if (!FORM.test(text)) return { problem: 'no_number' }
  const plain = asPlain(text, separators(language))
  if (plain === null) return { problem: 'no_number' }
  const value = Number(plain)
  if (!Number.isFinite(value)) return { problem: 'no_number' }
  const marks = amount.match(AROUND) ?? []
  if (marks.some(mark => !currency.includes(mark.trim()))) return { problem: 'currency' }
  const after = plain.split('.')[1]?.length ?? 0
  if (after <= decimals) return { value }
  // Elsewhere, three digits after this separator would be thousands.
  return after === 3 && grouped(text)
    ? { problem: 'decimals', meant: Number(text.replace(/[.,]/g, '')) }
    : { problem: 'decimals' }
}

/** As JavaScript reads it; null if it has no single meaning. */
function asPlain(text: string, { group }: Separators): string | null {
  const marks = text.replace(/[^.,]/g, '')
  if (marks === '') return text
  const last = marks.at(-1)!
  const kinds = new Set(marks).size
  // With both separators, the last one is the decimal separator in any language.
  if (kinds === 2) {
    const at = text.lastIndexOf(last)
    const whole = text.slice(0, at)
    if (whole.includes(last) || !grouped(whole)) return null
    return `${whole.replace(/[.,]/g, '')}.${text.slice(at + 1)}`
  }
  if (marks.length > 1) return grouped(text) ? text.replace(/[.,]/g, '') : null
  // A single separator means thousands only if the language writes them so and three digits follow.
  if (last === group && grouped(text)) return text.replace(last, '')
  return text.replace(last, '.')
}

/** `1,000` or `12.345.678`: groups of three after one to three digits that do not begin with 0. */
function grouped(text: string): boolean {
  return /^[+-]?[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*$/.test(text)
}

/** The number as the language writes it, without rounding. */
export function writeNumberIn(value: number, decimals: number, language: string): string {
  const fixed = Number.isInteger(value) || decimals > 2 ? 0 : decimals
  return new Intl.NumberFormat(language, {
    minimumFractionDigits: fixed,
    maximumFractionDigits: Math.max(decimals, 6),
  }).format(value)
}

/** An amount as it was typed: cents are not rounded away in a currency that usually has none. */
export function writeMoneyIn(value: number, currency: string, language: string): string {
  const minimumFractionDigits = Number.isInteger(value) ? undefined : 2
  return new Intl.NumberFormat(language, { style: 'currency', currency, minimumFractionDigits }).format(value)
}
