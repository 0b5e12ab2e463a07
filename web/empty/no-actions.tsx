// The conversions page before the first action was counted.

import { Button, CopyButton } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { Tile } from './tile.tsx'

interface NoActionsProps {
  /** The code for the page that says thank you. */
  snippet: string
  children: ReactNode
}

export function NoActions({ snippet, children }: NoActionsProps) {
  return (
    <Tile
      picture={<pre className="tile-code">{snippet}</pre>}
      title={t('empty.conversions')}
      about={t('empty.conversionsAbout')}
    >
      {children}
      <CopyButton value={snippet}>
        {({ copied, copy }) => (
          <Button variant="default" leftSection={<Icon name={copied ? 'check' : 'copy'} />} onClick={copy}>
            {t(copied ? 'form.copied' : 'empty.copySnippet')}
          </Button>
        )}
      </CopyButton>
    </Tile>
  )
}
