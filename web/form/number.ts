// Numbers in the language of the reader: how they are typed, shown and sent.

import { currencyMarks } from '../format/format.ts'
import { locale } from '../words/words.ts'
import { readNumberIn, type TypedNumber, writeNumberIn } from './number-in.ts'

export function readNumber(typed: string, decimals: number): TypedNumber {
  return readNumberIn(typed, decimals, locale(), currencyMarks())
}

export function writeNumber(value: number, decimals: number): string {
  return writeNumberIn(value, decimals, locale())
}

/**
 * For the API: the number; null if nothing was typed; the text itself if it is not a number, so that the API refuses
 * it.
 */
export function numberToSend(typed: string, decimals: number): number | null {
  const read = readNumber(typed, decimals)
  if ('value' in read) return read.value
  return read.problem === 'empty' ? null : (typed as unknown as number)
}
