// What a publisher asks of ads, in sentences.

import { Text } from '@mantine/core'
import { money } from '../format/format.ts'
import { t } from '../words/words.ts'
import type { SeenSource } from './data.ts'

export function Terms({ source: { floorCpm, floorCpmBySize, refuses } }: { source: SeenSource }) {
  const refused = [...refuses.categories, ...refuses.advertisers].join(', ')
  const lines = [
    ...(floorCpm === null ? [] : [t('terms.atLeast', { cpm: money(floorCpm) })]),
    ...floorCpmBySize.map(({ size, cpm }) => t('terms.atLeastFor', { size, cpm: money(cpm) })),
    ...(refused === '' ? [] : [t('terms.refuses', { refused })]),
  ]
  return lines.map(line => (
    <Text key={line} size="sm">
      {line}
    </Text>
  ))
}
