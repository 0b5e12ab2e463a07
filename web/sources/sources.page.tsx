// The publishers, for the staff of an app: each site and exchange with its figures of today. A name opens its code, keys
// and settings. Admins of an app with the right can add some.

import { Badge, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import * as format from '../format/format.ts'
import { Icon } from '../shell/icon.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { metricName } from '../stats/figures.ts'
import type { Column } from '../table/column.ts'
import { ListPanel } from '../table/list-panel.tsx'
import { type LinkTo, useRowLinks } from '../table/row-link.tsx'
import { t } from '../words/words.ts'
import { type SeenSource, sourcesQuery, useMayManage } from './data.ts'
import { NewSource } from './new-source.tsx'

const idOf = (row: SeenSource) => row.sourceId
const nameOf = (row: SeenSource) => row.name
const kindOf = (row: SeenSource) => t(`sources.${row.kind}`)
const textOf = (row: SeenSource) => `${row.name} ${row.domain ?? ''} ${kindOf(row)}`

export function SourcesPage() {
  const sources = useQuery(sourcesQuery)
  const [adding, setAdding] = useState(false)
  const mayManage = useMayManage()
  const linkTo = useRowLinks()
  const columns = useMemo(() => columnsOf(linkTo), [linkTo])
  return (
    <>
      <PageHead title={t('sources.title')}>
        {mayManage && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
            {t('sources.new')}
          </Button>
        )}
      </PageHead>
      <Text size="sm" c="dimmed" mb="md">
        {t(mayManage ? 'sources.about' : 'sources.byOperator')} {t('sources.figures')}
      </Text>
      {sources.isPending && <Waiting height={300} />}
      {sources.error && <Refused error={sources.error} onRetry={() => sources.refetch()} />}
      {sources.data && (
        <ListPanel
          id="sources"
          label={t('sources.title')}
          rows={sources.data}
          columns={columns}
          idOf={idOf}
          nameOf={nameOf}
          textOf={textOf}
          sorting={{ column: 'earnings', descending: true }}
          fileName={t('sources.file')}
          totals
          card={source => <Card source={source} linkTo={linkTo} />}
          empty={
            <Nothing
              icon="globe"
              title={t('sources.none')}
              about={t(mayManage ? 'sources.noneAbout' : 'sources.noneByOperator')}
            />
          }
        />
      )}
      <NewSource opened={adding} onClose={() => setAdding(false)} />
    </>
  )
}

type Today = SeenSource['today']

interface Figure {
  id: 'requests' | 'imps' | 'fill' | 'ecpm' | 'earnings'
  read: (today: Today) => number | null
  write: (value: number) => string
  money?: boolean
}

// Requests are written some seconds later than they happen, and impressions may be of requests of the day before: there
// is no part of them that was filled if there are more impressions.
const fillOf = ({ imps, requests }: Today) => (requests > 0 && imps <= requests ? imps / requests : null)

const FIGURES: readonly Figure[] = [
  { id: 'requests', read: today => today.requests, write: format.integer },
  { id: 'imps', read: today => today.imps, write: format.integer },
  { id: 'fill', read: fillOf, write: format.percent },
  {
    id: 'ecpm',
    read: ({ imps, spend }) => (imps > 0 ? (spend / imps) * 1000 : null),
    write: format.money,
    money: true,
  },
  { id: 'earnings', read: today => today.spend, write: format.money, money: true },
]

const titleOf = ({ id }: Figure) => (id === 'imps' ? metricName('imps') : t(`sources.${id}`))

function written({ read, write }: Figure, today: Today): string {
  const value = read(today)
  return value === null ? '–' : write(value)
}

function sumOf(rows: readonly SeenSource[]): Today {
  const sum = (field: keyof Today) => rows.reduce((all, { today }) => all + today[field], 0)
  return { requests: sum('requests'), imps: sum('imps'), spend: sum('spend') }
}

function columnsOf(linkTo: LinkTo): Column<SeenSource>[] {
  return [
    {
      id: 'name',
      title: t('sources.name'),
      value: nameOf,
      cell: row => linkTo(`/sources/${row.sourceId}`, row.name),
      total: rows => t('table.total', { count: rows.length }),
      width: 240,
    },
    { id: 'kind', title: t('sources.kind'), value: kindOf, width: 132 },
    ...FIGURES.map(figure => ({
      id: figure.id,
      title: titleOf(figure),
      value: ({ today }: SeenSource) => figure.read(today),
      cell: ({ today }: SeenSource) => written(figure, today),
      total: (rows: readonly SeenSource[]) => written(figure, sumOf(rows)),
      numeric: true,
      money: figure.money ?? false,
      width: 132,
    })),
  ]
}

function Card({ source, linkTo }: { source: SeenSource; linkTo: LinkTo }) {
  return (
    <div style={{ gridColumn: '1 / -1' }}>
      <div className="ccard-top">
        {linkTo(`/sources/${source.sourceId}`, <span className="card-name">{source.name}</span>)}
        <Badge variant="default">{kindOf(source)}</Badge>
      </div>
      <dl>
        {FIGURES.map(figure => (
          <div key={figure.id}>
            <dt>{titleOf(figure)}</dt>
            <dd>{written(figure, source.today)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
