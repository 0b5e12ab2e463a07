// The pages of /docs in the browser: the colour scheme (that of the console, before the first paint), the search, buttons that
// copy, and the menu on a phone. Everything can be read without it.

const root = document.documentElement
const base = document.currentScript.dataset.base
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const wanted = () => localStorage.getItem('marquee-color-scheme') ?? 'auto'
const isDark = () => wanted() === 'dark' || (wanted() === 'auto' && systemIsDark.matches)
const paint = () => {
  root.dataset.mantineColorScheme = isDark() ? 'dark' : 'light'
}
paint()
systemIsDark.addEventListener('change', paint)
// What an earlier version kept: a pair.
localStorage.removeItem('authorized')

addEventListener('DOMContentLoaded', () => {
  setUpScheme(document.querySelector('.scheme'))
  setUpMenu(document.querySelector('.menu-button'))
  for (const block of document.querySelectorAll('pre')) addCopy(block)
  setUpSearch(document.querySelector('.search'))
})

function setUpScheme(button) {
  const name = () => {
    button.textContent = isDark() ? 'Light' : 'Dark'
  }
  button.hidden = false
  name()
  button.addEventListener('click', () => {
    localStorage.setItem('marquee-color-scheme', isDark() ? 'light' : 'dark')
    paint()
    name()
  })
}

function setUpMenu(button) {
  if (!button) return
  const show = isOpen => {
    document.body.classList.toggle('is-open', isOpen)
    button.setAttribute('aria-expanded', isOpen)
  }
  button.addEventListener('click', () => show(!document.body.classList.contains('is-open')))
  document.querySelector('#menu').addEventListener('click', event => event.target.closest('a') && show(false))
}

function addCopy(block) {
  const frame = document.createElement('div')
  const button = document.createElement('button')
  Object.assign(button, { className: 'copy', type: 'button', textContent: 'Copy' })
  frame.className = 'copied'
  block.replaceWith(frame)
  frame.append(block, button)
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
}

function setUpSearch(box) {
  if (!box) return
  const [field, list] = [box.querySelector('input'), box.querySelector('ul')]
  let texts
  let at = -1
  box.hidden = false
  const load = () => {
    texts ??= fetch(`${base}/docs/search.json`).then(answer => answer.json())
    return texts
  }
  const close = () => {
    list.hidden = true
    field.setAttribute('aria-expanded', 'false')
    field.removeAttribute('aria-activedescendant')
  }
  const choose = index => {
    const items = [...list.querySelectorAll('li[role]')]
    at = items.length === 0 ? -1 : (index + items.length) % items.length
    for (const [n, item] of items.entries()) item.setAttribute('aria-selected', n === at)
    if (at < 0) return
    field.setAttribute('aria-activedescendant', items[at].id)
    items[at].scrollIntoView({ block: 'nearest' })
  }
  const show = async () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return close()
    const found = findAll(await load(), words)
    list.replaceChildren(...(found.length === 0 ? [nothing(field.value)] : found.map(item(words))))
    list.hidden = false
    field.setAttribute('aria-expanded', 'true')
    choose(0)
  }
  field.addEventListener('focus', load)
  field.addEventListener('input', show)
  field.addEventListener('keydown', event => {
    if (event.key === 'Escape') close()
    else if (event.key === 'Enter') list.querySelector('[aria-selected="true"] a')?.click()
    else if (event.key === 'ArrowDown') choose(at + 1)
    else if (event.key === 'ArrowUp') choose(at - 1)
    else return
    if (event.key !== 'Escape') event.preventDefault()
  })
  list.addEventListener('click', close)
  document.addEventListener('click', event => box.contains(event.target) || close())
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.target.closest('input')) return
    event.preventDefault()
    field.focus()
  })
}

/** A word in a heading counts more than in the address of a call, and that more than in the text. */
function findAll(texts, words) {
  const worth = ([, page, title, text]) => {
    const [inTitle, inPage, inText] = [title, page, text].map(part => part.toLowerCase())
    let sum = 0
    for (const word of words) {
      const score = inTitle.includes(word) ? 9 : inPage.includes(word) ? 4 : inText.includes(word) ? 1 : 0
      if (score === 0) return 0
      sum += score + (inTitle.startsWith(word) ? 3 : 0)
    }
    return sum + (inText.includes(words.join(' ')) ? 2 : 0)
  }
  const found = texts.map(text => [worth(text), text]).filter(([sum]) => sum > 0)
  return found
    .sort(([a], [b]) => b - a)
    .slice(0, 20)
    .map(([, text]) => text)
}

function item(words) {
  return ([url, page, title, text], n) => {
    const entry = document.createElement('li')
    const link = Object.assign(document.createElement('a'), { href: url, tabIndex: -1 })
    const [name, where, line] = ['b', 'small', 'small'].map(tag => document.createElement(tag))
    entry.id = `found-${n}`
    entry.setAttribute('role', 'option')
    highlight(name, title, words)
    where.textContent = page
    const from = Math.max(0, text.toLowerCase().indexOf(words[0]) - 40)
    highlight(line, text.slice(from, from + 160), words)
    link.append(name, where, line)
    entry.append(link)
    return entry
  }
}

function highlight(element, text, words) {
  const pattern = new RegExp(`(${words.map(word => word.replace(/\W/g, '\\$&')).join('|')})`, 'gi')
  for (const [n, part] of text.split(pattern).entries()) {
    const isFound = n % 2 === 1
    element.append(isFound ? Object.assign(document.createElement('mark'), { textContent: part }) : part)
  }
}

function nothing(text) {
  return Object.assign(document.createElement('li'), {
    className: 'none',
    textContent: `Nothing for “${text}”.`,
  })
}
