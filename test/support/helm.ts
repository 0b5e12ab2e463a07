// Renders the Helm chart, for tests where there is no Helm: the parts of Go's templates that the chart uses. Anything else
// is an error, so that a chart that uses more is not rendered wrongly.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'

type Value = unknown
type Scope = { dot: Value; vars: Map<string, Value> }
type Node =
  | { kind: 'text'; text: string }
  | { kind: 'value'; code: string }
  | { kind: 'set'; name: string; code: string }
  | { kind: 'if' | 'with' | 'range'; code: string; body: Node[]; otherwise: Node[] }

const TAG = /\{\{(-?)\s*(?:\/\*.*?\*\/|(.*?))\s*(-?)\}\}/gs

export function renderChart(folder: string, values: object): Record<string, string> {
  const chart = parse(readFileSync(join(folder, 'Chart.yaml'), 'utf8'))
  const defaults = parse(readFileSync(join(folder, 'values.yaml'), 'utf8'))
  const root = {
    Values: merged(defaults, values),
    Release: { Name: 'ads', Namespace: 'default', Service: 'Helm' },
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
  }
  const defined = new Map<string, Node[]>()
  const files = readdirSync(join(folder, 'templates')).toSorted()
  const trees = files.map(file => parseFile(readFileSync(join(folder, 'templates', file), 'utf8'), defined))
  const render = rendererOf(defined)
  return Object.fromEntries(
    files.flatMap((file, at) => (file.startsWith('_') ? [] : [[file, render(trees[at]!, root)]])),
  )
}

function merged(base: Value, over: Value): Value {
  if (!isMap(base) || !isMap(over)) return over
  return Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(over)])].map(key => [
      key,
      key in over ? merged(base[key], over[key]) : base[key],
    ]),
  )
}

const isMap = (value: Value): value is Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface Open {
  nodes: Node[]
  /** What closes it. */
  close(): void
  node: Extract<Node, { body: Node[] }> | null
}

function parseFile(text: string, defined: Map<string, Node[]>): Node[] {
  const top: Node[] = []
  const open: Open[] = [{ nodes: top, close: () => {}, node: null }]
  let at = 0
  let trims = false
  const addText = (piece: string, trimsEnd: boolean) => {
    const left = trims ? piece.trimStart() : piece
    open.at(-1)!.nodes.push({ kind: 'text', text: trimsEnd ? left.trimEnd() : left })
  }
  for (const match of text.matchAll(TAG)) {
    addText(text.slice(at, match.index), match[1] === '-')
    trims = match[3] === '-'
    at = match.index + match[0].length
    if (match[2] !== undefined) take(match[2], open, defined)
  }
  addText(text.slice(at), false)
  if (open.length !== 1) throw new Error('a block of a template is not closed')
  return top
}

function take(code: string, open: Open[], defined: Map<string, Node[]>): void {
  const { nodes, node } = open.at(-1)!
  const [, word = '', rest = ''] = /^(if|with|range|define|else|end)\b\s*(.*)$/s.exec(code) ?? []
  const set = /^(\$\w+)\s*:=\s*(.*)$/s.exec(code)
  if (word === 'if' || word === 'with' || word === 'range') {
    const made = { kind: word, code: rest, body: [], otherwise: [] } as Extract<Node, { body: Node[] }>
    nodes.push(made)
    open.push({ nodes: made.body, close: () => {}, node: made })
  } else if (word === 'define') {
    const body: Node[] = []
    open.push({ nodes: body, close: () => defined.set(JSON.parse(rest), body), node: null })
  } else if (word === 'else') {
    if (rest !== '' || node === null) throw new Error(`not understood: else ${rest}`)
    open.at(-1)!.nodes = node.otherwise
  } else if (word === 'end') open.pop()!.close()
  else if (set) nodes.push({ kind: 'set', name: set[1]!, code: set[2]! })
  else nodes.push({ kind: 'value', code })
}

function rendererOf(defined: Map<string, Node[]>) {
  const render = (nodes: Node[], dot: Value, vars = new Map<string, Value>([['$', dot]])): string =>
    nodes.map(node => renderNode(node, { dot, vars })).join('')
  const include = (name: Value, dot: Value) => {
    const body = defined.get(String(name))
    if (!body) throw new Error(`no template ${name}`)
    return render(body, dot)
  }

  function renderNode(node: Node, scope: Scope): string {
    const { dot, vars } = scope
    if (node.kind === 'text') return node.text
    if (node.kind === 'value') return shown(evaluate(node.code, scope, include))
    if (node.kind === 'set') {
      vars.set(node.name, evaluate(node.code, scope, include))
      return ''
    }
    if (node.kind === 'range') return renderRange(node, scope)
    const value = evaluate(node.code, scope, include)
    if (isEmpty(value)) return render(node.otherwise, dot, new Map(vars))
    return render(node.body, node.kind === 'with' ? value : dot, new Map(vars))
  }

  function renderRange(node: Extract<Node, { body: Node[] }>, scope: Scope): string {
    const [, names = '', code = node.code] = /^(\$[^=]*):=(.*)$/s.exec(node.code) ?? []
    const [first, second] = names.split(',').map(name => name.trim())
    const over = evaluate(code, scope, include)
    const items = isMap(over)
      ? Object.entries(over).toSorted(([a], [b]) => (a < b ? -1 : 1))
      : Object.entries((over ?? []) as Value[])
    return items
      .map(([key, item]) => {
        const vars = new Map(scope.vars)
        if (second) vars.set(first!, key).set(second, item)
        else if (first) vars.set(first, item)
        return render(node.body, item, vars)
      })
      .join('')
  }
  return render
}

const isEmpty = (value: Value) =>
  !value || (typeof value === 'object' && Object.keys(value as object).length === 0)

function shown(value: Value): string {
  if (value === null || value === undefined) throw new Error('a template shows a value that is not set')
  if (typeof value === 'object') throw new Error('a template shows a list or a map without toYaml')
  return String(value)
}

type Call = (...args: Value[]) => Value

const indented = (spaces: Value, text: Value) =>
  String(text)
    .split('\n')
    .map(line => (line === '' ? line : ' '.repeat(Number(spaces)) + line))
    .join('\n')

const FUNCTIONS: Record<string, Call> = {
  and: (...all) => all.find(isEmpty) ?? all.at(-1),
  not: isEmpty,
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  default: (fallback, value) => (isEmpty(value) ? fallback : value),
  dict: (...pairs) =>
    Object.fromEntries(pairs.flatMap((key, at) => (at % 2 === 0 ? [[key, pairs[at + 1]]] : []))),
  index: (map, key) => (map as Record<string, Value>)[String(key)],
  list: (...items) => items,
  nindent: (spaces, text) => `\n${indented(spaces, text)}`,
  printf: (form, ...args) => String(form).replace(/%s/g, () => String(args.shift())),
  quote: value => JSON.stringify(String(value)),
  required: (message, value) => {
    if (isEmpty(value)) throw new Error(String(message))
    return value
  },
  sha256sum: text => createHash('sha256').update(String(text)).digest('hex'),
  toYaml: value => stringify(value).trimEnd(),
  trimPrefix: (prefix, text) =>
    String(text).startsWith(String(prefix)) ? String(text).slice(String(prefix).length) : text,
  trimSuffix: (suffix, text) =>
    String(text).endsWith(String(suffix)) ? String(text).slice(0, -String(suffix).length) : text,
  trunc: (count, text) => String(text).slice(0, Number(count)),
}

/** A pipeline: each part gets the result of the one before as its last argument. */
function evaluate(code: string, scope: Scope, include: Call): Value {
  const words = code.match(/"(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+/g) ?? []
  let at = 0
  const functionOf = (name: string) => (name === 'include' ? include : FUNCTIONS[name])

  function pipeline(): Value {
    let value = command([])
    while (words[at] === '|') {
      at++
      value = command([value])
    }
    return value
  }
  function command(last: Value[]): Value {
    const call = functionOf(words[at] ?? '')
    if (call) at++
    const args: Value[] = []
    while (at < words.length && words[at] !== '|' && words[at] !== ')') args.push(operand())
    if (call) return call(...args, ...last)
    if (args.length !== 1 || last.length > 0) throw new Error(`not understood: ${code}`)
    return args[0]
  }
  function operand(): Value {
    const word = words[at++]!
    if (word === '(') {
      const value = pipeline()
      at++
      return value
    }
    if (word.startsWith('"')) return JSON.parse(word)
    if (/^\d+$/.test(word)) return Number(word)
    if (functionOf(word)) return functionOf(word)!()
    const path = /^(\$\w*|)((?:\.\w+)*|\.)$/.exec(word)
    if (!path) throw new Error(`not understood: ${word} in ${code}`)
    const start = path[1] ? scope.vars.get(path[1]) : scope.dot
    const steps = path[2]!.split('.').filter(Boolean)
    return steps.reduce((value, step) => (value as Record<string, Value> | null)?.[step], start)
  }
  return pipeline()
}
