// Finds the image in the form of an upload (multipart/form-data), which is in memory as a whole. Its work is bounded by
// the number of parts and the length of their heads; the bytes of an image are only searched for the boundary.

import { type Problem, refusal } from '../../kernel/errors/problem.ts'

export interface FormFile {
  name: string
  bytes: Buffer
}

/** Around the image: heads, and fields that nobody reads. */
export const FORM_BYTES = 64 * 1024
const MOST_PARTS = 11
const MOST_HEAD_BYTES = 4096
const LINE_END = '\r\n'
const DASHES = '--'

/** The only file of the form; null if it has none. */
export function fileInForm(form: Buffer, contentType: string): FormFile | null {
  const boundary = boundaryIn(contentType)
  if (boundary === null) throw malformed()
  const delimiter = Buffer.from(LINE_END + DASHES + boundary)
  let file: FormFile | null = null
  let at = firstPart(form, delimiter)
  for (let parts = 1; !isLast(form, at); parts++) {
    if (parts > MOST_PARTS) throw refusal('too_many_parts')
    const { head, start } = headAt(form, at)
    const end = form.indexOf(delimiter, start)
    if (end < 0) throw malformed()
    const name = fileNamed(head)
    if (name !== null) {
      if (file) throw refusal('too_many_parts')
      file = { name, bytes: form.subarray(start + LINE_END.length, end) }
    }
    at = end + delimiter.length
  }
  return file
}

function boundaryIn(contentType: string): string | null {
  const found = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;,"]{1,200}))/i.exec(contentType)
  return found ? (found[1] ?? found[2]!) : null
}

/** What follows the first delimiter, which may be the very beginning. */
function firstPart(form: Buffer, delimiter: Buffer): number {
  const first = delimiter.subarray(LINE_END.length)
  if (form.subarray(0, first.length).equals(first)) return first.length
  const found = form.indexOf(delimiter)
  if (found < 0) throw malformed()
  return found + delimiter.length
}

function isLast(form: Buffer, at: number): boolean {
  return form.toString('latin1', at, at + DASHES.length) === DASHES
}

/** The lines before the empty one, each after a line end; `start` is at the line end before the content. */
function headAt(form: Buffer, at: number): { head: string; start: number } {
  const head = form.toString('latin1', at, at + MOST_HEAD_BYTES)
  const end = head.indexOf(LINE_END + LINE_END)
  if (end < 0 || !/^[ \t]*\r\n/.test(head)) throw malformed()
  return { head: head.slice(0, end), start: at + end + LINE_END.length }
}

/** The name of a part that is a file; null for any other field. */
function fileNamed(head: string): string | null {
  const lines = head.split(LINE_END)
  const disposition = lines.find(line => /^content-disposition:\s*form-data\b/i.test(line))
  const isBinary = lines.some(line => /^content-type:\s*application\/octet-stream\b/i.test(line))
  if (disposition === undefined) return null
  const params = paramsIn(disposition)
  if (!isBinary && !params.has('filename') && !params.has('filename*')) return null
  return Buffer.from(params.get('name') ?? '', 'latin1').toString('utf8')
}

/** In their order, so that what is in the quotes of one is not taken for another. */
function paramsIn(header: string): Map<string, string> {
  const found = header.matchAll(/;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g)
  return new Map([...found].map(([, name, quoted, plain]) => [name!.toLowerCase(), quoted ?? plain!]))
}

function malformed(): Problem {
  return refusal('malformed_form')
}
