// An attribute as its form has it. Values are lines: `sport`, or `sport = Sport pages` with a name for people.

import type { AttributeKind } from '../../src/manage/attributes/contract.ts'
import type { Attribute } from './data.ts'

export interface AttributeDraft {
  key: string
  kind: AttributeKind
  label: string
  choices: string
  appOnly: boolean
  fromPublic: boolean
}

type Choices = Attribute['choices']

export const NEW_ATTRIBUTE: AttributeDraft = {
  key: '',
  kind: 'choice',
  label: '',
  choices: '',
  appOnly: false,
  fromPublic: false,
}

const lineOf = ({ value, label }: Choices[number]) => (label === value ? value : `${value} = ${label}`)

export function attributeDraftOf({
  key,
  kind,
  label,
  choices,
  appOnly,
  fromPublic,
}: Attribute): AttributeDraft {
  return { key, kind, label, choices: choices.map(lineOf).join('\n'), appOnly, fromPublic }
}

/** Lines that nobody changed stay what they were, even where a value itself has ` = `. */
function choicesOf(typed: string, before: Choices) {
  const known = new Map(before.map(choice => [lineOf(choice), choice]))
  const lines = typed.split('\n').map(line => line.trim())
  return lines
    .filter(line => line !== '')
    .map(line => {
      const [value = '', ...label] = line.split(/\s=\s/)
      return known.get(line) ?? { value: value.trim(), label: label.join(' = ').trim() || null }
    })
}

/** Without its key, which is in the path. */
export function attributeBodyOf(
  { kind, label, choices, appOnly, fromPublic }: AttributeDraft,
  before: Choices,
) {
  const values = kind === 'choice' ? { choices: choicesOf(choices, before) } : {}
  return { kind, label: label.trim() || null, ...values, appOnly, fromPublic }
}
