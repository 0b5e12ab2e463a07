// The pages as the server sends them. Who is not signed in gets the sign-in as HTML, in each language; who is, gets the
// names of the files of the page in the address, so that the browser loads them beside the first script.

import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import { CLOSED, doorHtml } from './session/door-html.ts'
import { deDoor } from './words/de-door.ts'
import { enDoor } from './words/en-door.ts'

const WORDS = { en: enDoor, de: deDoor }
const LANGUAGES = { en: 'English', de: 'Deutsch' }
const FIRST = /<!--first-->[\s\S]*<!--\/first-->/

interface Chunk {
  type: 'chunk'
  fileName: string
  facadeModuleId: string | null
  imports: string[]
  moduleIds: string[]
  viteMetadata?: { importedCss: Set<string> }
}

export const firstWords: Plugin = {
  name: 'first-words',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') throw new Error('There is no page.')
      const html = String(page.source)
      const chunks = Object.values(bundle).filter(one => one.type === 'chunk') as Chunk[]
      const start = filesOf(chunks, 'start.tsx')
      const inPage = new Set(html.match(/assets\/[^"]+/g))
      const next = [...new Set([...start, ...filesOf(chunks, 'overview.page.tsx')])].filter(
        file => file.endsWith('.js') && !inPage.has(file),
      )
      for (const language of ['en', 'de'] as const) {
        const words: Record<string, string> = WORDS[language]
        const door = doorHtml({ ...CLOSED, language, languages: LANGUAGES }, word => words[word]!)
        const source = html
          .replace('<html lang="en">', `<html lang="${language}">`)
          .replace('<title>Marquee', `<title>${words['signIn.title']}`)
          .replace(FIRST, () => door)
          .replace('id="root"', `id="root" data-next="${next.join(' ')}"`)
        this.emitFile({ type: 'asset', fileName: `sign-in.${language}.html`, source })
      }
      const preloads = Object.fromEntries(
        pages().map(([path, file]) => [
          path,
          [...new Set([...start, ...filesOf(chunks, file)])].filter(one => !inPage.has(one)),
        ]),
      )
      this.emitFile({ type: 'asset', fileName: 'preloads.json', source: JSON.stringify(preloads) })
    },
  },
}

/** The addresses of the router, and the file of source of each. */
function pages(): [path: string, file: string][] {
  const source = readFileSync(new URL('router.tsx', import.meta.url), 'utf8')
  const routes = source.matchAll(/path: '([^']+)',(?:(?!createRoute)[\s\S])*?import\('\.\/([^']+)'\)/g)
  return [...routes].map(([, path, file]) => [path!, file!])
}

/** The chunk of a file of source, and all that it needs at once. */
function filesOf(chunks: readonly Chunk[], source: string): string[] {
  const found = new Set<string>()
  const need = (chunk: Chunk | undefined) => {
    if (!chunk || found.has(chunk.fileName)) return
    found.add(chunk.fileName)
    for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style)
    for (const name of chunk.imports) need(chunks.find(({ fileName }) => fileName === name))
  }
  need(chunks.find(({ moduleIds }) => moduleIds.some(id => id.endsWith(`/${source}`))))
  return [...found]
}
