// A page that does not exist, or whose subject is gone: it says so and offers a way back.

import { Button, Center } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { MarqueeError } from '../api/client.ts'
import { t } from '../words/words.ts'
import { Icon } from './icon.tsx'
import { PageHead } from './page-head.tsx'
import { Nothing } from './states.tsx'

export function NotFound() {
  return (
    <Center mih="60vh" component="main">
      <div>
        <PageHead title={t('common.notFound')} />
        <Nothing icon="search" title={t('common.notFoundAbout')}>
          <Button component={Link} to="/" leftSection={<Icon name="overview" size={16} />}>
            {t('common.toStart')}
          </Button>
        </Nothing>
      </div>
    </Center>
  )
}

export function isGone(error: Error | null): boolean {
  return error instanceof MarqueeError && error.status === 404
}

/** A campaign, persona or banner that does not exist, shown inside the frame. */
export function Gone({ to, word }: { to: string; word: string }) {
  return (
    <>
      <PageHead title={t('common.gone')} />
      <Nothing icon="search" title={t('common.goneAbout')}>
        <Button component={Link} to={to}>
          {word}
        </Button>
      </Nothing>
    </>
  )
}
