// English sentences with placeholders for values, as the tables of errors contain them. `{max:number}` stands for the
// value `max`; the word after the colon is its kind and says how it is written. The types of the values are derived
// from the sentence.

/** The type of a value, by the word after the colon. */
interface Values {
  /** Written as it is. */
  number: number
  /** Written with thousands separators. */
  count: number
  /** The size of a body or file: `1048576 bytes (1 MiB)`. */
  bytes: number
  /** Unix seconds. */
  time: number
  /** Text written as it is. */
  text: string
  /** Text written in quotes. */
  quoted: string
  /** Any value, written as JSON. */
  json: unknown
  /** Texts: `a, b, c`. */
  list: readonly string[]
  /** Texts: `a, b or c`. */
  choice: readonly string[]
  /** Values as JSON: `"a", "b" or null`. */
  options: readonly unknown[]
  /** Kinds of values, such as `string`: `a string or null`. */
  types: readonly ValueType[]
  type: ValueType
  /** The kind of a file that is not a supported image. */
  file: FileKind
}

const TYPE_WORDS = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  amount: 'an amount',
  time: 'a Unix time in seconds (an integer)',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
} as const
export type ValueType = keyof typeof TYPE_WORDS
export const VALUE_TYPES = Object.keys(TYPE_WORDS) as ValueType[]

const FILE_WORDS = {
  svg: 'an SVG drawing',
  web_page: 'a web page',
  pdf: 'a PDF document',
  bmp: 'a BMP image',
  tiff: 'a TIFF image',
  photoshop: 'a Photoshop document',
  zip: 'a ZIP archive',
  avif: 'an AVIF image',
  video: 'a video or HEIC image',
  unknown: 'of an unknown kind',
} as const
export type FileKind = keyof typeof FILE_WORDS
export const FILE_KINDS = Object.keys(FILE_WORDS) as FileKind[]

type Places<S> = S extends `${string}{${infer Name}:${infer Kind}}${infer Rest}`
  ? { [N in Name]: Kind extends keyof Values ? Values[Kind] : never } & Places<Rest>
  : unknown
/** The values that a sentence needs. */
export type ParamsIn<S> = { [N in keyof Places<S>]: Places<S>[N] }
/** The argument that passes them; omitted if there are none. */
export type Given<P> = keyof P extends never ? [] : [params: P]

const PLACE = /\{(\w+):(\w+)\}/g

/** The names and kinds of a sentence's values, in the order in which it mentions them. */
export function placesIn(sentence: string): [name: string, kind: keyof Values][] {
  return [...sentence.matchAll(PLACE)].map(([, name, kind]) => [name!, kind as keyof Values])
}

export function fill(sentence: string, params: object): string {
  return sentence.replace(PLACE, (_, name: string, kind: keyof Values) =>
    written(kind, (params as Record<string, unknown>)[name]),
  )
}

function written(kind: keyof Values, value: unknown): string {
  switch (kind) {
    case 'count':
      return (value as number).toLocaleString('en-US')
    case 'bytes':
      return bytesText(value as number)
    case 'quoted':
    case 'json':
      return JSON.stringify(value)
    case 'list':
      return (value as string[]).join(', ') || 'none'
    case 'choice':
      return choice(value as string[])
    case 'options':
      return choice((value as unknown[]).map(one => JSON.stringify(one)))
    case 'types':
      return choice((value as ValueType[]).map(type => TYPE_WORDS[type]))
    case 'type':
      return value === 'boolean' ? 'a boolean' : TYPE_WORDS[value as ValueType]
    case 'file':
      return FILE_WORDS[value as FileKind]
    default:
      return String(value)
  }
}

const MIB = 2 ** 20

function bytesText(bytes: number): string {
  return bytes % MIB === 0 ? `${bytes} bytes (${bytes / MIB} MiB)` : `${bytes} bytes`
}

function choice(words: string[]): string {
  return words.length < 2 ? (words[0] ?? 'nothing') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
