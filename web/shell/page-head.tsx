// The head of a page: its breadcrumbs, its name and its actions.

import { Anchor, Breadcrumbs, Group, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { t } from '../words/words.ts'
import { Icon } from './icon.tsx'
import { useHeadingFocus, usePageTitle } from './page-title.ts'

export interface Crumb {
  name: string
  to: string
  /** The tab of that page; the first if not given. */
  tab?: string
}

interface PageHeadProps {
  title: string
  crumbs?: Crumb[]
  /** Shown right after the title. */
  badge?: ReactNode
  /** The last action; on a phone it is beside the title. */
  menu?: ReactNode
  children?: ReactNode
}

export function PageHead({ title, crumbs = [], badge, menu, children }: PageHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  usePageTitle(title)
  useHeadingFocus(heading)
  return (
    <header style={{ marginBottom: 20 }}>
      {crumbs.length > 0 && (
        <Breadcrumbs
          mb={2}
          component="nav"
          aria-label={t('shell.breadcrumbs')}
          separator={<Icon name="open" size={12} />}
          separatorMargin={6}
          style={{ flexWrap: 'wrap' }}
        >
          {crumbs.map(crumb => (
            <Anchor
              key={crumb.to}
              component={Link}
              to={crumb.to}
              search={{ tab: crumb.tab } as never}
              className="plain-link"
              size="xs"
              lh="24px"
              maw={260}
              truncate
            >
              {crumb.name}
            </Anchor>
          ))}
        </Breadcrumbs>
      )}
      <div className="page-head">
        <Group gap="sm" miw={0}>
          <Title
            ref={heading}
            tabIndex={-1}
            className="page-title"
            order={1}
            style={{ overflowWrap: 'anywhere' }}
            lineClamp={2}
          >
            {title}
          </Title>
          {badge}
        </Group>
        <Group gap="xs" className="page-actions">
          {children}
        </Group>
        {menu}
      </div>
    </header>
  )
}
