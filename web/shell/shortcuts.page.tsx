// Every shortcut, and a switch for readers who need these keys for something else.

import { Kbd, Switch, Table } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../session/may.ts'
import { useSession } from '../session/session.ts'
import { t } from '../words/words.ts'
import { PageHead } from './page-head.tsx'
import { areOn, shortcutsOf, switchShortcuts } from './shortcuts.ts'

export function ShortcutsPage() {
  const [on, setOn] = useState(areOn)
  const list = shortcutsOf(useSession(), useMay())
  return (
    <>
      <PageHead title={t('shortcuts.title')} />
      <Switch
        label={t('shortcuts.on')}
        description={t('shortcuts.onAbout')}
        checked={on}
        mb="lg"
        onChange={event => {
          switchShortcuts(event.currentTarget.checked)
          setOn(event.currentTarget.checked)
        }}
      />
      <Table maw={480} aria-label={t('shortcuts.title')}>
        <Table.Tbody>
          {list.map(({ keys, word }) => (
            <Table.Tr key={keys.join()}>
              <Table.Td>{word}</Table.Td>
              <Table.Td ta="end">
                {keys.map((key, index) => (
                  <span key={key}>
                    {index > 0 && ` ${t('shortcuts.then')} `}
                    <Kbd>{key}</Kbd>
                  </span>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  )
}
