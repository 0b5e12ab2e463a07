// Everything a client of the last release relies on is still there. `openapi.json` is the interface of that release,
// without its texts, and `exceptions.json` says what may differ; `script/release` renews both.

import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { breakingChanges, isSame, withoutTexts } from '../support/openapi-changes.ts'
import { startTestService, type TestService } from '../support/service.ts'

const FILE = new URL('openapi.json', import.meta.url)
const EXCEPTIONS = new URL('exceptions.json', import.meta.url)
const { release, document } = JSON.parse(readFileSync(FILE, 'utf8'))

/**
 * What may differ, by the lines of `breakingChanges`. `harmless`: patterns of what changes nothing for a working client,
 * each with the reason. `announced`: patterns of what is broken on purpose, each with the words of the changelog.
 */
const { harmless, announced } = JSON.parse(readFileSync(EXCEPTIONS, 'utf8')) as {
  harmless: [pattern: string, reason: string][]
  announced: [pattern: string, words: string][]
}

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

async function today() {
  return withoutTexts((await service.call('GET', '/openapi.json')).body)
}
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const versionOf = (path: string): string => JSON.parse(read(path)).version
const [major, minor] = [0, 1].map(at => (version: string) => Number(version.split('.')[at]))

it('nothing that a client of the last release uses is gone or has become narrower', async () => {
  const broken = breakingChanges(document, await today())
  const isOne = (text: string) => (entry: string[]) => new RegExp(entry[0]!).test(text)
  expect(broken.filter(text => ![...harmless, ...announced].some(isOne(text)))).toEqual([])
  for (const [pattern, words] of announced) {
    expect(broken.some(text => isOne(text)([pattern]))).toBe(true)
    expect(read('CHANGELOG.md')).toContain(words)
  }
})

it('an interface that has grown has a higher version, and the client has the same version', async () => {
  const now = await today()
  const [before, after]: string[] = [document.info.version, now.info.version]
  expect(major!(after!)).toBe(major!(before!))
  if (!isSame(document, now)) expect(minor!(after!)).toBe(minor!(before!) + 1)
  expect(versionOf('sdk/package.json')).toBe(after)
})

it('every release has its section in the changelog, and the program is not older than the last one', () => {
  expect(read('CHANGELOG.md')).toMatch(new RegExp(`^## ${release.replaceAll('.', '\\.')}\\b`, 'm'))
  const key = (version: string) => version.split('.').map(part => part.padStart(6, '0'))
  expect([key(release), key(versionOf('package.json'))].sort()[0]).toEqual(key(release))
})

it('a change that would break a client is recognised', async () => {
  const now = await today()
  const made = (change: (copy: typeof now) => void) => {
    const copy = structuredClone(now)
    change(copy)
    return breakingChanges(now, copy)
  }
  const schemaOf = (copy: typeof now, ref: string) => copy.components.schemas[ref.split('/').at(-1)!]
  const { requestBody, responses } = now.paths['/campaign'].post
  const sent: string = requestBody.content['application/json'].schema.$ref
  const answered: string = responses['201'].content['application/json'].schema.$ref
  expect(made(copy => delete copy.paths['/report'])).toEqual(['GET /report is gone'])
  expect(made(copy => delete schemaOf(copy, answered).properties.status)).toContain(
    'POST /campaign: 201.status is gone',
  )
  expect(made(copy => schemaOf(copy, sent).required.push('cpm'))).toContain(
    'POST /campaign: body.cpm is required',
  )
  expect(made(() => {})).toEqual([])
})

if (process.env.RELEASE) {
  it('is recorded as the released interface, from which nothing differs', async () => {
    writeFileSync(FILE, `${JSON.stringify({ release: process.env.RELEASE, document: await today() })}\n`)
    writeFileSync(EXCEPTIONS, `${JSON.stringify({ harmless: [], announced: [] }, null, 2)}\n`)
  })
}
