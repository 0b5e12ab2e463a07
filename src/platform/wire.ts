// The messages of PostgreSQL's protocol (version 3) that prepare and run a statement, as bytes. Parameters are sent as
// text, buffers as they are; results come as text.

type Encoded = string | Buffer | null

const INT16 = 2
const INT32 = 4

/** Replaces a statement of the same name: an earlier attempt may have failed before or after it was prepared. */
export function prepareMessage(name: string, text: string): Buffer {
  return Buffer.concat([
    message('C', `S${name}\0`),
    message('P', `${name}\0${text}\0\0\0`),
    message('D', `S${name}\0`),
  ])
}

const EXECUTE = message('E', '\0\0\0\0\0')
const BIND_UNNAMED = message('B', '\0\0\0\0\0\0\0\0')
const unnamed = (text: string) => [message('P', `\0${text}\0\0\0`), BIND_UNNAMED, EXECUTE]

/** `begin` without a round trip of its own: it is sent ahead of the first statement. */
export const PREPARE_BEGIN = Buffer.concat(unnamed('begin'))

const EXECUTE_AND_SYNC = Buffer.concat([EXECUTE, message('S', '')])

const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const COPY_TRAILER = Buffer.from([0xff, 0xff])
const COPY_DONE = message('c', '')

/** `copy … from stdin (format binary)` with its rows, sent ahead of a statement and in its transaction. */
export function copyMessages(text: string, rows: Buffer): Buffer {
  const data = Buffer.from('d\0\0\0\0')
  data.writeInt32BE(INT32 + COPY_HEADER.length + rows.length + COPY_TRAILER.length, 1)
  return Buffer.concat([...unnamed(text), data, COPY_HEADER, rows, COPY_TRAILER, COPY_DONE])
}

function message(code: string, body: string): Buffer {
  const bytes = Buffer.from(`${code}\0\0\0\0${body}`)
  bytes.writeInt32BE(bytes.length - 1, 1)
  return bytes
}

/** Binds, executes and ends the exchange. */
export function bindMessage(name: string, params: readonly unknown[]): Buffer {
  const count = params.length
  const values = new Array<Encoded>(count)
  const lengths = new Array<number>(count)
  let size = 1 + INT32 + 1 + name.length + 1 + INT16 + INT16 * count + INT16 + INT32 * count + INT16
  for (let i = 0; i < count; i++) {
    const value = encode(params[i])
    values[i] = value
    lengths[i] = value === null ? -1 : typeof value === 'string' ? Buffer.byteLength(value) : value.length
    if (value !== null) size += lengths[i]!
  }
  const bytes = Buffer.allocUnsafe(size + EXECUTE_AND_SYNC.length)
  bytes[0] = 0x42
  let at = bytes.writeInt32BE(size - 1, 1)
  bytes[at++] = 0
  at += bytes.write(name, at, 'latin1')
  bytes[at++] = 0
  at = bytes.writeUInt16BE(count, at)
  for (let i = 0; i < count; i++) at = bytes.writeInt16BE(Buffer.isBuffer(values[i]) ? 1 : 0, at)
  at = bytes.writeUInt16BE(count, at)
  for (let i = 0; i < count; i++) {
    const value = values[i]!
    at = bytes.writeInt32BE(lengths[i]!, at)
    if (typeof value === 'string') at += bytes.write(value, at)
    else if (value !== null) at += value.copy(bytes, at)
  }
  at = bytes.writeInt16BE(0, at)
  EXECUTE_AND_SYNC.copy(bytes, at)
  return bytes
}

function encode(value: unknown): Encoded {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (Buffer.isBuffer(value)) return value
  return textOf(value)
}

function textOf(value: unknown): string {
  if (typeof value !== 'object') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return arrayText(value)
  return JSON.stringify(value)
}

/** `{1,"a \"b\"",NULL}`, with bytes in hexadecimal. */
function arrayText(items: unknown[]): string {
  return `{${items.map(itemText).join(',')}}`
}

function itemText(item: unknown): string {
  if (item === null || item === undefined) return 'NULL'
  if (typeof item === 'number') return String(item)
  if (Array.isArray(item)) return arrayText(item)
  if (Buffer.isBuffer(item)) return `"\\\\x${item.toString('hex')}"`
  const text = typeof item === 'string' ? item : textOf(item)
  return `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`
}
