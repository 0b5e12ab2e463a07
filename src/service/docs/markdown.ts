// Markdown as HTML. Headings have the anchors that GitHub gives them, links lead to what is served or are plain text,
// and a call in code (`GET /campaign/:cid`) leads to its description.

import { lexer, Marked, type Tokens } from 'marked'
import { escapeHtml } from '../../deliver/markup/escape.ts'

export interface Links {
  /** Where a link of the text leads as served; null if its target is not. */
  to(href: string): string | null
  /** Where a call such as `GET /campaign/:cid` is described; null if it is none of ours. */
  ofCall(call: string): string | null
}

export interface Section {
  id: string
  depth: number
  /** The heading, without its markup. */
  title: string
  /** What stands below it, for the search. */
  text: string
}

export interface Rendered {
  html: string
  sections: Section[]
}

export interface Renderer {
  /** A page. */
  page(text: string): Rendered
  /** A line of text, as a description of the API or a field is. */
  inline(text: string): string
}

export function createRenderer(links: Links): Renderer {
  let headings: Iterator<Section>
  // Most fields are described in several places.
  const known = new Map<string, string>()
  const marked: Marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens)
        const { id } = headings.next().value as Section
        return `<h${depth} id="${id}">${inner}${depth > 1 ? anchorTo(id) : ''}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens).replaceAll(/<\/?a\b[^<>]*>/g, '')
        const to = links.to(href)
        return to === null ? inner : `<a href="${escapeHtml(to)}">${inner}</a>`
      },
      image: ({ text }) => escapeHtml(text),
      codespan({ text }) {
        const to = links.ofCall(text)
        const code = `<code>${escapeHtml(text)}</code>`
        return to === null ? code : `<a href="${to}">${code}</a>`
      },
      code: ({ text, lang }) => codeBlock(text, lang),
      table({ header, rows }) {
        const row = (cells: Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map(cell => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>\n`
        const body = rows.map(cells => row(cells, 'td')).join('')
        return `<div class="wide" tabindex="0"><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`
      },
    },
  })
  return {
    page(text) {
      const sections = sectionsOf(text)
      headings = sections.values()
      return { html: marked.parse(text) as string, sections }
    },
    inline(text) {
      const html = known.get(text) ?? (marked.parseInline(text) as string)
      known.set(text, html)
      return html
    },
  }
}

/** The headings of a page in their order, each with what stands below it. */
export function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = []
  const times = new Map<string, number>()
  for (const token of lexer(markdown)) {
    if (token.type === 'heading') {
      const title = plain(token.text)
      const name = slug(title)
      const before = times.get(name) ?? 0
      times.set(name, before + 1)
      sections.push({ id: before === 0 ? name : `${name}-${before}`, depth: token.depth, title, text: '' })
    } else if (sections.length > 0) sections.at(-1)!.text += `${plain(token.raw)} `
  }
  return sections
}

export function anchorTo(id: string): string {
  return `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`
}

export function codeBlock(text: string, language = ''): string {
  const label = language ? ` data-language="${escapeHtml(language)}"` : ''
  return `<pre tabindex="0"${label}><code>${coloured(text)}</code></pre>\n`
}

const PARTS =
  /((?<=^|\s)(?:\/\/|#\s).*$)|("(?:\\.|[^"\\\n])*"|'[^']*'|`[^`]*`)|\b(const|let|await|async|for|of|if|else|return|import|from|new|function|true|false|null|curl)\b|\b(\d[\d_.]*)\b/gm
const KINDS = ['c', 's', 'k', 'n']

/** Comments, texts, words and numbers, alike in every language. */
function coloured(text: string): string {
  let html = ''
  let at = 0
  for (const match of text.matchAll(PARTS)) {
    const kind = KINDS[match.slice(1).findIndex(group => group !== undefined)]
    html += `${escapeHtml(text.slice(at, match.index))}<i class="${kind}">${escapeHtml(match[0])}</i>`
    at = match.index + match[0].length
  }
  return html + escapeHtml(text.slice(at))
}

function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
}

/** Markdown as one line of words. */
export function plain(markdown: string): string {
  return markdown
    .replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/^```.*$|^[>#-]+ |\|[-|]*/gm, ' ')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
