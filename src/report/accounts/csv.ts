// A statement as CSV, with its opening and closing balance as lines of their own and the balance after each line. In
// English as programs read it; in German as a German spreadsheet does: with a byte order mark, semicolons and decimal
// commas.

import { type Cell, csvLine, GERMAN } from '../figures/csv.ts'
import { openZone } from '../figures/zone.ts'
import type { AccountEntry, EntryKind, Statement } from './contract.ts'

export type CsvLanguage = 'en' | 'de'

interface CsvWords {
  head: readonly string[]
  kind: Record<EntryKind | 'opening' | 'closing', string>
}

const WORDS: Record<CsvLanguage, CsvWords> = {
  en: {
    head: ['time', 'kind', 'amount', 'balance', 'currency', 'reference', 'note', 'cid', 'day'],
    kind: {
      opening: 'opening',
      credit: 'credit',
      correction: 'correction',
      spend: 'spend',
      closing: 'closing',
    },
  },
  de: {
    head: ['Zeit', 'Art', 'Betrag', 'Saldo', 'Währung', 'Referenz', 'Notiz', 'Kampagne', 'Tag'],
    kind: {
      opening: 'Anfangssaldo',
      credit: 'Gutschrift',
      correction: 'Korrektur',
      spend: 'Ausgaben',
      closing: 'Endsaldo',
    },
  },
}

const BOM = '\ufeff'

export function statementCsv(statement: Statement, language: CsvLanguage): string {
  const { head, kind } = WORDS[language]
  const { from, to, opening, closing, entries, currency } = statement
  const zone = openZone(statement.timezone)!
  const time = (timeS: number) =>
    new Date((timeS + zone.offsetAt(timeS)) * 1000).toISOString().slice(0, 19).replace('T', ' ')
  let micros = toMicros(opening)
  const cellsOf = (entry: AccountEntry): Cell[] => {
    micros += toMicros(entry.amount)
    const { amount, reference = null, note = null, cid = null, day = null } = entry
    return [time(entry.time), kind[entry.kind], amount, micros / 1e6, currency, reference, note, cid, day]
  }
  const around = (timeS: number, name: string, balance: number): Cell[] => {
    return [time(timeS), name, null, balance, currency, null, null, null, null]
  }
  const rows: Cell[][] = [
    [...head],
    around(from, kind.opening, opening),
    ...entries.map(cellsOf),
    around(to - 1, kind.closing, closing),
  ]
  const isGerman = language === 'de'
  const lines = rows.map(cells => csvLine(cells, isGerman ? GERMAN : undefined))
  return (isGerman ? BOM : '') + lines.join('')
}

function toMicros(units: number): number {
  return Math.round(units * 1e6)
}

/** The first of our languages that the reader names; a weight of 0 does not count. */
export function csvLanguage(header: string | undefined): CsvLanguage {
  for (const range of (header ?? '').slice(0, 1000).toLowerCase().split(',')) {
    const [name = '', weight = ''] = range.split(';').map(part => part.trim())
    const language = name.split('-', 1)[0]
    if ((language === 'en' || language === 'de') && !/^q=0(\.0*)?$/.test(weight)) return language
  }
  return 'en'
}
