// A piece of code to copy into a page of one's own.

import { Code, Group, Text } from '@mantine/core'
import { t } from '../words/words.ts'
import { CopyText } from './copy-text.tsx'

export function Snippet({ title, text }: { title: string; text: string }) {
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw="var(--strong)">
          {title}
        </Text>
        <CopyText text={text} label={t('conversions.copy', { name: title })} />
      </Group>
      <Code block tabIndex={0} role="region" aria-label={title}>
        {text}
      </Code>
    </div>
  )
}
