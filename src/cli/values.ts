// Values of options and arguments, checked before a command opens its database.

import { type Schema, validate } from '../http/validate.ts'
import { parseId } from '../kernel/id.ts'
import { secondsOf } from '../platform/setting.ts'
import { WrongUsage } from './exit.ts'

export function countOf(text: string, option: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text)
  throw new WrongUsage(`${option} must be a whole number, not "${text}"`)
}

/** `after` and `limit` of a list. */
export function pageOf({ after, limit }: { after: string; limit: string }) {
  return { after: countOf(after, '--after'), limit: countOf(limit, '--limit') }
}

/** `noun`: for example `customer` or `webhook`. */
export function idOf(text: string, noun: string): number {
  const id = parseId(text)
  if (id === null) throw new WrongUsage(`"${text}" is not a ${noun} id`)
  return id
}

/** Returns seconds. */
export function lifeOf(text: string, option: string, examples: string, mostDays: number): number {
  const seconds = secondsOf(text)
  if (seconds !== null && seconds <= mostDays * 86_400) return seconds
  throw new WrongUsage(
    `${option} must be a duration such as ${examples}, at most ${mostDays}d, not "${text}"`,
  )
}

/** Checks a value by the same rules as the API. */
export function bodyOf<T>(schema: unknown, value: object): T {
  const checked = validate(schema as Schema, value)
  if (checked.ok) return checked.value as T
  const { path, message } = checked.errors[0]!
  throw new WrongUsage(`${path.slice(1)} ${message}`)
}

export function nameOf(name: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name)) return name
  throw new WrongUsage('the name must have 1 to 100 letters, digits, spaces, dots, dashes or underscores')
}
