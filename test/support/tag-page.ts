// The parts of a web page that the tag uses: elements, a consent platform, an observer of changes, and messages.

import { runInNewContext } from 'node:vm'
import { TAG_SCRIPT } from '../../src/deliver/tags/script.ts'

type Attributes = Record<string, string>

export class Node {
  children: Node[] = []
  parentNode: Node | null = null
  style: Record<string, string> = {}
  attributes: Attributes
  src = ''
  contentWindow = {}
  width = ''
  height = ''
  hidden = true
  constructor(attributes: Attributes = {}) {
    this.attributes = attributes
    this.src = attributes.src ?? ''
  }
  getAttribute(name: string): string | null {
    return this.attributes[name] ?? null
  }
  getAttributeNames() {
    return Object.keys(this.attributes)
  }
  hasAttribute(name: string): boolean {
    return name in this.attributes
  }
  setAttribute(name: string, value: string): void {
    this.attributes[name] = value
  }
  get nextSibling(): Node | null {
    const siblings = this.parentNode?.children ?? []
    return siblings[siblings.indexOf(this) + 1] ?? null
  }
  contains(node: Node): boolean {
    return node === this || this.children.some(child => child.contains(node))
  }
  replaceChild(node: Node, old: Node): void {
    node.parentNode = this
    this.children.splice(this.children.indexOf(old), 1, node)
  }
  appendChild(node: Node): void {
    this.insertBefore(node, null)
  }
  insertBefore(node: Node, before: Node | null): void {
    node.parentNode = this
    const at = before ? this.children.indexOf(before) : this.children.length
    this.children.splice(at, 0, node)
  }
}

export const TAG = 'https://ads.example.net/marquee/tag.js'

/** A page's consent platform: it is called with a command and a version, and answers through the listener. */
export type ConsentPlatform = (
  command: string,
  version: number,
  listener: (...said: unknown[]) => void,
) => void

interface PageOptions {
  href?: string
  inHead?: boolean
  homes?: string[]
  /** The page's consent platforms by the names of their functions. */
  platforms?: Record<string, (...said: never[]) => void>
  marquee?: unknown
}

export function page(tags: Attributes[], more: PageOptions = {}) {
  const root = new Node()
  const head = new Node()
  const body = new Node()
  root.appendChild(head)
  root.appendChild(body)
  const homes = new Map((more.homes ?? []).map(id => [id, new Node({ id })]))
  const scripts = tags.map(attributes => new Node(attributes))
  for (const home of homes.values()) body.appendChild(home)
  for (const script of scripts) (more.inHead ? head : body).appendChild(script)
  const url = new URL(more.href ?? 'https://news.example.com/story?secret=1#part')
  const listeners: ((event: unknown) => void)[] = []
  const document = {
    documentElement: root,
    head,
    body,
    currentScript: null as Node | null,
    referrer: '',
    createElement: () => new Node(),
    getElementById: (id: string) => homes.get(id) ?? null,
    querySelectorAll: () => scripts.filter(script => script.hasAttribute('data-source')),
  }
  const location = { protocol: url.protocol, origin: url.origin, pathname: url.pathname }
  const timers: (() => void)[] = []
  const watchers: (() => void)[] = []
  class MutationObserver {
    constructor(changed: () => void) {
      watchers.push(changed)
    }
    observe(): void {}
  }
  const said: string[] = []
  const window = {
    marquee: more.marquee as { refresh(where?: unknown): void } | undefined,
    console: { error: (line: string) => said.push(line) },
    location,
    ...more.platforms,
    setTimeout: (ring: () => void) => timers.push(ring),
    MutationObserver,
    addEventListener: (_: string, hear: (event: unknown) => void) => listeners.push(hear),
  }
  const run = (current: Node | null): void => {
    document.currentScript = current
    runInNewContext(TAG_SCRIPT, { document, window })
  }
  const say = (event: unknown): void => {
    for (const hear of listeners) hear(event)
  }
  const ringTimers = (): void => {
    for (const ring of timers.splice(0)) ring()
  }
  const mutate = (): void => {
    for (const changed of watchers) changed()
  }
  return { head, body, scripts, homes, run, say, said, window, ringTimers, mutate }
}

/** The child frames that show ads. */
export const frames = (node: Node): Node[] => node.children.filter(child => child.src.includes('ad.html'))
