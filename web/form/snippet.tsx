// A piece of code to copy into one's own page.

import { Button, Code, CopyButton, Group, Text } from '@mantine/core'
import { t } from '../words/words.ts'

interface SnippetProps {
  title: string
  /** Whose snippet it is, if a page has several with this title. */
  of?: string
  text: string
}

export function Snippet({ title, of, text }: SnippetProps) {
  const name = of === undefined ? title : `${title}, ${of}`
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw="var(--strong)">
          {title}
        </Text>
        <CopyText text={text} label={t('conversions.copy', { name })} />
      </Group>
      <Code block tabIndex={0} role="region" aria-label={name}>
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
