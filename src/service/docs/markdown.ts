// Markdown as HTML. Headings have the anchors that GitHub gives them, links lead to what is served or are plain text,
// and a call in code (`GET /campaign/:cid`) leads to its description.

import { Marked, type Token, type Tokens } from 'marked'
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

export function renderMarkdown(text: string, links: Links): Rendered {
  const sections: Section[] = []
  const marked = markedFor(links, sections)
  const tokens = marked.lexer(text)
  const html = marked.parser(tokens)
  for (const [token, at] of headed(tokens)) if (sections[at]) sections[at].text += `${plain(token.raw)} `
  return { html, sections }
}

/** A line of text: what a description of the API or a field is. */
export function renderInline(text: string, links: Links): string {
  return markedFor(links, []).parseInline(text) as string
}

function markedFor(links: Links, sections: Section[]): Marked {
  const ids = new Map<string, number>()
  return new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens)
        const title = plain(inner.replaceAll(/<[^>]*>/g, ''))
        const id = unused(slug(unescapeHtml(title)), ids)
        sections.push({ id, depth, title: unescapeHtml(title), text: '' })
        const anchor = `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`
        return `<h${depth} id="${id}">${inner}${depth > 1 ? anchor : ''}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens).replaceAll(/<\/?a\b[^>]*>/g, '')
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
      table(token) {
        const row = (cells: Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map(cell => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
        const body = token.rows.map(cells => row(cells, 'td')).join('\n')
        return `<div class="wide" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`
      },
    },
  })
}

/** Each token with the number of the heading that it stands below. */
function* headed(tokens: Token[]): Generator<[Token, number]> {
  let at = -1
  for (const token of tokens) {
    if (token.type === 'heading') at++
    else yield [token, at]
  }
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

function unused(id: string, ids: Map<string, number>): string {
  const times = ids.get(id) ?? 0
  ids.set(id, times + 1)
  return times === 0 ? id : `${id}-${times}`
}

/** Markdown as one line of words. */
export function plain(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^```.*$|^[>#-]+ |\|[-|]*/gm, ' ')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
