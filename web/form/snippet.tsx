// A piece of code to copy into one's own page.

import { Button, Code, CopyButton, Group, Text } from '@mantine/core'
import { t } from '../words/words.ts'

interface SnippetProps {
  title: string
  text: string
}

export function Snippet({ title, text }: SnippetProps) {
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

/** Copies a text such as a snippet, and confirms it. */
function CopyText({ text, label }: { text: string; label: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" aria-label={label} onClick={copy}>
          {t(copied ? 'form.copied' : 'form.copy')}
        </Button>
      )}
    </CopyButton>
  )
}
