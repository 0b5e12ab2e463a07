// The frame of every page of the documents: the bar with the search, the menu, the text, and what is on the page.

import { escapeHtml } from '../../deliver/markup/escape.ts'
import { GUIDES } from './guides.ts'

export interface Frame {
  /** The path of the public URL. */
  base: string
  /** With the hash of the files, so that a new version is fetched at once. */
  version: string
}

export interface PageParts {
  title: string
  body: string
  /** The address of the page, below the base. */
  path: string
  /** More of the menu, above the guides. */
  menu?: string
  /** The headings of the page. */
  toc?: { id: string; title: string; depth: number }[]
  /** Besides the text there are no menu and no search. */
  isBare?: boolean
}

const LOGO =
  '<svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#4c51e0"/><path d="M8 23V10l8 8 8-8v13" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/></svg>'

export function htmlPage({ base, version }: Frame, parts: PageParts): string {
  const { title, body, path, toc = [], isBare = false } = parts
  const bar = `<header class="bar">
${isBare ? '' : '<button class="menu-button" type="button" aria-expanded="false" aria-controls="menu">Menu</button>'}
<a class="home" href="${base}/docs">${LOGO}<b>Marquee</b> <span>docs</span></a>
<div class="search" hidden><input type="search" role="combobox" aria-expanded="false" aria-controls="found" aria-label="Search the documents" placeholder="Search guides and operations" autocomplete="off"><kbd>/</kbd><ul id="found" role="listbox" hidden></ul></div>
<nav aria-label="Places"><a href="${base}/docs/reference">Reference</a> <a href="${base}/console">Console</a></nav>
<button class="scheme" type="button" hidden>Dark</button>
</header>`
  const menu = isBare
    ? ''
    : `<nav id="menu" aria-label="Documents">${menuOf(base, path, parts.menu ?? '')}</nav>`
  const headings = toc.filter(({ depth }) => depth === 2 || depth === 3)
  const aside =
    headings.length < 3
      ? ''
      : `<aside><nav aria-label="On this page"><b>On this page</b>${headings
          .map(({ id, title, depth }) => `<a class="d${depth}" href="#${id}">${escapeHtml(title)}</a>`)
          .join('')}</nav></aside>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Marquee</title>
<link rel="icon" href="data:,">
<script src="${base}/docs/docs.js?${version}" data-base="${base}"></script>
<link rel="stylesheet" href="${base}/docs/docs.css?${version}">
</head>
<body${isBare ? ' class="bare"' : ''}>
<a class="skip" href="#text">To the text</a>
${bar}
<div class="frame">
${menu}
<main id="text" tabindex="-1">${body}</main>
${aside}
</div>
</body>
</html>
`
}

function menuOf(base: string, path: string, more: string): string {
  const link = (to: string, title: string) =>
    `<a href="${base}${to}"${to === path ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`
  const groups = [...new Set(GUIDES.map(({ group }) => group))].map(
    group =>
      `<b>${group}</b>${GUIDES.filter(guide => guide.group === group)
        .map(({ name, title }) => link(`/docs/${name}`, title))
        .join('')}`,
  )
  return [link('/docs', 'Overview'), link('/docs/reference', 'API reference'), more, ...groups].join('\n')
}
