// One run of a prepared statement over a connection of pg. It is sent in one write, and the server describes the
// columns only the first time a connection meets the statement (a plan whose columns change is an error there). With
// pg's own statements, an API call costs a fifth more (docs/decisions/0150-less-code.md).

import pg from 'pg'
import { bindMessage, prepareMessage } from './wire.ts'

type Params = readonly unknown[]
type Row = Record<string, unknown>
type Read = (text: string) => unknown

interface Columns {
  names: string[]
  reads: Read[]
  /** A row with all columns null, so that every row has the same shape from the start. */
  empty: Row
}

const NO_COLUMNS: Columns = { names: [], reads: [], empty: {} }

/** The statements that the server has prepared, by connection and name. */
const prepared = new WeakMap<pg.Connection, Map<string, Columns>>()

/** A query as pg's client defines it: it submits itself and receives the answer message by message. */
export class Statement implements pg.Submittable {
  readonly name: string
  readonly text: string
  readonly values: Params
  /** What is sent before it, and in its transaction. */
  readonly ahead: Buffer | null
  /** Called once, when the statement has ended. */
  callback: (error: Error | null) => void = () => {}
  rows: Row[] = []
  /** How many rows the statement touched. */
  count = 0
  #columns: Columns = NO_COLUMNS
  #failure: Error | null = null

  constructor(name: string, text: string, values: Params, ahead: Buffer | null) {
    this.name = name
    this.text = text
    this.values = values
    this.ahead = ahead
  }

  /** A returned error is the query's own and leaves the connection as it was. */
  submit(connection: pg.Connection): Error | null {
    let bind: Buffer
    try {
      bind = bindMessage(this.name, this.values)
    } catch (error) {
      return error as Error
    }
    const columns = preparedOn(connection).get(this.name)
    this.#columns = columns ?? NO_COLUMNS
    const parts = []
    if (this.ahead) parts.push(this.ahead)
    if (!columns) parts.push(prepareMessage(this.name, this.text))
    const { stream } = connection
    // A closed stream reports that by itself.
    if (stream.writable) stream.write(parts.length === 0 ? bind : Buffer.concat([...parts, bind]))
    return null
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#columns = {
      names: fields.map(field => field.name),
      reads: fields.map(field => readerOf(field.dataTypeID)),
      empty: Object.fromEntries(fields.map(field => [field.name, null])),
    }
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const { names, reads, empty } = this.#columns
    const row = { ...empty }
    try {
      for (let i = 0; i < fields.length; i++) {
        const text = fields[i]!
        row[names[i]!] = text === null ? null : reads[i]!(text)
      }
      this.rows.push(row)
    } catch (error) {
      this.#failure = error as Error
    }
  }

  /** `INSERT 0 3`, `SELECT 3`, `BEGIN`: the number at the end, if there is one. */
  handleCommandComplete({ text }: { text: string }): void {
    this.count = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0
  }

  handleReadyForQuery(connection: pg.Connection): void {
    preparedOn(connection).set(this.name, this.#columns)
    this.callback(this.#failure)
  }

  handleError(error: Error): void {
    this.callback(error)
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}

function preparedOn(connection: pg.Connection): Map<string, Columns> {
  let statements = prepared.get(connection)
  if (!statements) {
    statements = new Map()
    prepared.set(connection, statements)
  }
  return statements
}

const INT8 = 20
const NUMERIC = 1700
const TIMESTAMPTZ = 1184

/** How a column's text is parsed, by the id of its type; pg's own parser if we have none. */
export function readerOf(typeId: number): Read {
  if (typeId === INT8) return readInt8
  if (typeId === NUMERIC) return Number
  if (typeId === TIMESTAMPTZ) return readTime
  return pg.types.getTypeParser(typeId) as Read
}

function readInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`int8 ${text} does not fit a number`)
  return value
}

const readAnyTime = pg.types.getTypeParser(TIMESTAMPTZ) as Read

/** Our sessions write nearly all times as `2026-03-29 01:02:03.456+00`, which is ISO 8601 except for two characters. */
function readTime(text: string): unknown {
  if (text[10] !== ' ' || !text.endsWith('+00')) return readAnyTime(text)
  return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
}
