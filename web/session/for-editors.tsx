// A page that creates something, for readers who may. Others read that they may not, instead of filling in a form that
// fails.

import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageHead } from '../shell/page-head.tsx'
import { Nothing } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { useMay } from './may.ts'

export function ForEditors({ title, children }: { title: string; children: ReactNode }) {
  const may = useMay()
  if (may.edit) return children
  return (
    <>
      <PageHead title={title} crumbs={[{ name: t('campaigns.title'), to: '/campaigns' }]} />
      <Nothing icon="eye" title={t('may.readOnly')} about={t('may.readOnlyAbout')}>
        <Button component={Link} to="/campaigns" variant="default" mt="sm">
          {t('may.back')}
        </Button>
      </Nothing>
    </>
  )
}
