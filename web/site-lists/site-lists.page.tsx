// The site lists of the app, for its staff: each with who names it. A name opens its entries.

import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../api/client.ts'
import { RemoveButton } from '../form/remove-button.tsx'
import { integer } from '../format/format.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import type { Column } from '../table/column.ts'
import { ListPanel } from '../table/list-panel.tsx'
import { t } from '../words/words.ts'
import { type ListedSites, siteListsQuery, useListsAgain } from './data.ts'
import { ListDialog } from './list-dialog.tsx'

const nameOf = (row: ListedSites) => row.name
const textOf = (row: ListedSites) => `${row.name} ${row.key}`

export function SiteListsPage() {
  const lists = useQuery(siteListsQuery)
  const may = useMay()
  /** The key of the list that is edited; null: a new one. */
  const [editing, setEditing] = useState<string | null | undefined>(undefined)
  const columns = useMemo(() => columnsOf(may.edit ? setEditing : null), [may.edit])
  return (
    <>
      <PageHead title={t('lists.title')}>
        {may.edit && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setEditing(null)}>
            {t('lists.new')}
          </Button>
        )}
      </PageHead>
      <Text size="sm" c="dimmed" mb="md">
        {t('lists.about')}
      </Text>
      {lists.isPending && <Waiting height={300} />}
      {lists.error && <Refused error={lists.error} onRetry={() => lists.refetch()} />}
      {lists.data && (
        <ListPanel
          id="site-lists"
          label={t('lists.title')}
          rows={lists.data}
          columns={columns}
          // Lists have keys; a table wants numbers.
          idOf={row => lists.data.indexOf(row) + 1}
          nameOf={nameOf}
          textOf={textOf}
          sorting={{ column: 'name', descending: false }}
          fileName={t('lists.file')}
          card={list => <Card list={list} onEdit={may.edit ? setEditing : null} />}
          empty={<Nothing icon="globe" title={t('lists.none')} about={t('lists.noneAbout')} />}
        />
      )}
      {editing !== undefined && <ListDialog editing={editing} onClose={() => setEditing(undefined)} />}
    </>
  )
}

type OnEdit = ((key: string) => void) | null

function Name({ list: { key, name }, onEdit }: { list: ListedSites; onEdit: OnEdit }) {
  if (onEdit === null) return name
  return (
    <Button
      variant="transparent"
      size="compact-sm"
      p={0}
      aria-label={t('lists.editNamed', { name })}
      onClick={() => onEdit(key)}
    >
      {name}
    </Button>
  )
}

const FIGURES = [
  { id: 'count', read: (row: ListedSites) => row.count },
  { id: 'customers', read: (row: ListedSites) => row.uses.customers },
  { id: 'campaigns', read: (row: ListedSites) => row.uses.campaigns },
] as const

function columnsOf(onEdit: OnEdit): Column<ListedSites>[] {
  return [
    {
      id: 'name',
      title: t('lists.name'),
      value: nameOf,
      cell: row => <Name list={row} onEdit={onEdit} />,
      width: 240,
    },
    { id: 'key', title: t('lists.key'), value: row => row.key, width: 160 },
    ...FIGURES.map(({ id, read }) => ({
      id,
      title: t(`lists.${id}`),
      value: read,
      cell: (row: ListedSites) => integer(read(row)),
      numeric: true,
      width: 120,
    })),
    ...(onEdit
      ? [
          {
            id: 'remove',
            title: t('lists.remove'),
            value: () => null,
            control: true,
            cell: (row: ListedSites) => <Remove list={row} />,
            width: 120,
          },
        ]
      : []),
  ]
}

function Remove({ list: { key, name } }: { list: ListedSites }) {
  const readAgain = useListsAgain()
  const notice = useNotice()
  return (
    <RemoveButton
      word={t('lists.remove')}
      label={t('lists.removeNamed', { name })}
      title={t('lists.removeTitle', { name })}
      about={t('lists.removeAbout')}
      remove={() => api.deleteSiteList({ listKey: key })}
      onRemoved={() => {
        notice.done(t('lists.removed', { name }))
        void readAgain()
      }}
    />
  )
}

function Card({ list, onEdit }: { list: ListedSites; onEdit: OnEdit }) {
  return (
    <div style={{ gridColumn: '1 / -1' }}>
      <div className="ccard-top">
        <Name list={list} onEdit={onEdit} />
        {onEdit && <Remove list={list} />}
      </div>
      <dl>
        {FIGURES.map(({ id, read }) => (
          <div key={id}>
            <dt>{t(`lists.${id}`)}</dt>
            <dd>{integer(read(list))}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
