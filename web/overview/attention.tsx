// What keeps campaigns from delivering, and where to fix it.

import { Badge, Button, Group, List, Stack, Text, ThemeIcon } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Issue } from '../../src/issues/contract.ts'
import { api } from '../api/client.ts'
import { useZone } from '../period/use-period.ts'
import { Icon } from '../shell/icon.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { fieldSentence } from '../words/error-words.ts'
import { named, t } from '../words/words.ts'

/** The rest is one click away. */
const SHOWN = 5
const LOOK_AGAIN_MS = 20_000

export function Attention({ cuid }: { cuid: number }) {
  const issues = useQuery({
    queryKey: ['issues', cuid],
    queryFn: () => api.listIssues({ cuid }),
    refetchInterval: LOOK_AGAIN_MS,
  })
  const list = issues.data ?? []
  const [all, setAll] = useState(false)
  return (
    <Panel
      title={t('overview.attention')}
      actions={list.length > 0 && <Badge className="status status-orange">{list.length}</Badge>}
    >
      {issues.isPending && <Waiting height={120} />}
      {issues.error && <Refused error={issues.error} onRetry={() => issues.refetch()} />}
      {issues.data && list.length === 0 && (
        <Group gap="sm">
          <ThemeIcon variant="light" color="green" radius="xl" aria-hidden="true">
            <Icon name="check" size={16} />
          </ThemeIcon>
          <Text size="sm">{t('overview.allWell')}</Text>
        </Group>
      )}
      <Stack gap="md" component="ul" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
        {list.slice(0, all ? list.length : SHOWN).map(issue => (
          <li key={`${issue.code}-${issue.cid}-${issue.pid}-${issue.bid}`}>
            <IssueRow issue={issue} />
          </li>
        ))}
      </Stack>
      {list.length > SHOWN && (
        <Button variant="subtle" size="compact-sm" mt="md" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('overview.fewerIssues') : t('overview.moreIssues', { count: list.length })}
        </Button>
      )}
    </Panel>
  )
}

function pathOf({ cid, pid, bid }: Issue): string {
  if (pid && bid) return `/campaigns/${cid}/personas/${pid}/banners/${bid}`
  return pid ? `/campaigns/${cid}/personas/${pid}` : `/campaigns/${cid}`
}

function IssueRow({ issue }: { issue: Issue }) {
  const timezone = useZone()
  const names = [issue.campaign, issue.persona, issue.banner].filter(Boolean).join(' › ')
  return (
    <Group gap="sm" align="flex-start" wrap="nowrap">
      <ThemeIcon
        variant="light"
        color={issue.code === 'banner_rejected' ? 'red' : 'yellow'}
        radius="xl"
        aria-hidden="true"
      >
        <Icon name="warning" size={16} />
      </ThemeIcon>
      <div>
        <Link to={pathOf(issue)} className="strong-link">
          {names}
        </Link>
        <Text size="sm">{named('issue', issue.code)}</Text>
        {issue.findings.length > 0 && (
          <List size="sm" c="dimmed" mt={2}>
            {issue.findings.map(finding => (
              <List.Item key={finding.message}>{fieldSentence(finding, timezone)}</List.Item>
            ))}
          </List>
        )}
      </div>
    </Group>
  )
}
