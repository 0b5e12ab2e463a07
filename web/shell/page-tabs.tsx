// The tabs of a page. The current one is in the address, so that it survives a reload and can be shared.

import { Tabs } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export interface PageTab {
  value: string
  label: string
  content: ReactNode
}

/** The wanted tab, or the first one. */
export function shownTab(names: readonly string[], wanted: string | undefined): string {
  return wanted !== undefined && names.includes(wanted) ? wanted : names[0]!
}

/** On a phone, a row of tabs is wider than the screen. Only the row moves, not the page. */
function bringIntoSight(tab: HTMLElement | null): void {
  const row = tab?.parentElement
  if (row) row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2
}

export function PageTabs({ shown, tabs }: { shown: string; tabs: PageTab[] }) {
  const navigate = useNavigate()
  return (
    <Tabs
      value={shown}
      keepMounted={false}
      onChange={next =>
        navigate({ to: '.', search: before => ({ ...before, tab: next ?? undefined }), replace: true })
      }
    >
      <Tabs.List mb="lg">
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value} ref={value === shown ? bringIntoSight : undefined}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, content }) => (
        <Tabs.Panel key={value} value={value}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
