// The personas of a campaign with their figures for the period.

import { Button, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { decimal } from '../format/format.ts'
import { usePeriod } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import { figureColumns, useChildFigures, type WithFigures } from '../stats/figure-columns.ts'
import type { Column } from '../table/column.ts'
import { ListPanel } from '../table/list-panel.tsx'
import { OnOffButtons, onOffColumns } from '../table/on-off.tsx'
import { named, t } from '../words/words.ts'
import { type Persona, usePersonas, useSwitchPersonas } from './data.ts'
import { placeName } from './place-name.ts'
import { type StateName, useStateNames } from './state-names.ts'

interface Row extends Persona, WithFigures {
  where: string
}
const idOf = (row: Row) => row.pid
const nameOf = (row: Row) => row.name
const textOf = (row: Row) => `${row.name} ${row.where}`
const statusOf = (row: Row) => (row.enabled ? 'on' : 'paused')
const spendOf = (row: Row) => row.figures?.spend ?? null

interface PersonaTableProps {
  cuid: number
  cid: number
}

export function PersonaTable({ cuid, cid }: PersonaTableProps) {
  const personas = usePersonas(cuid, cid)
  const listed = useMemo(() => personas.data?.map(({ pid }) => pid), [personas.data])
  const { figuresOf, rest } = useChildFigures(cid, 'persona', listed)
  const period = usePeriod()
  const may = useMay()
  const columns = useColumns(cuid, cid)
  const stateName = useStateNames(useMemo(() => (personas.data ?? []).flatMap(shownPlaces), [personas.data]))
  const rows = useMemo(
    () =>
      (personas.data ?? []).map(persona => ({
        ...persona,
        figures: figuresOf(persona.pid),
        where: whereOf(persona, stateName),
      })),
    [personas.data, figuresOf, stateName],
  )
  if (personas.isPending) return <Waiting height={240} />
  if (!personas.data) return <Refused error={personas.error} onRetry={() => personas.refetch()} />
  const add = may.edit && (
    <Button
      component={Link}
      to={`/campaigns/${cid}/new-persona`}
      leftSection={<Icon name="plus" size={16} />}
    >
      {t('personas.new')}
    </Button>
  )
  return (
    <ListPanel
      id="personas"
      label={t('personas.title')}
      rows={rows}
      rest={rest}
      columns={columns}
      idOf={idOf}
      nameOf={nameOf}
      textOf={textOf}
      statusOf={statusOf}
      spendOf={spendOf}
      period={period}
      sorting={{ column: 'imps', descending: true }}
      fileName={t('personas.file')}
      totals
      bulk={
        may.pause ? (chosen, done) => <Bulk cuid={cuid} cid={cid} chosen={chosen} onDone={done} /> : undefined
      }
      actions={rows.length > 0 && add}
      empty={
        <Nothing icon="customers" title={t('personas.none')} about={t('personas.noneAbout')}>
          {add}
        </Nothing>
      }
    />
  )
}

const shownPlaces = ({ geo }: Persona) => ('geos' in geo ? geo.geos.slice(0, 2) : [])

/** Where a persona is shown, in a few words. */
function whereOf(persona: Persona, stateName: StateName): string {
  const { geo } = persona
  if ('geos' in geo) {
    const names = shownPlaces(persona).map(place => placeName(place, stateName))
    return names.join(' · ') + (geo.geos.length > 2 ? ` +${geo.geos.length - 2}` : '')
  }
  const [latitude, longitude] = geo.geocode
  return t('personas.around', {
    km: decimal(geo.radius / 1000, 1),
    place: `${decimal(latitude, 2)}, ${decimal(longitude, 2)}`,
  })
}

function useColumns(cuid: number, cid: number): Column<Row>[] {
  const { mutate } = useSwitchPersonas(cuid, cid)
  const { refused } = useNotice()
  const may = useMay()
  return useMemo(
    () => [
      {
        id: 'name',
        title: t('personas.name'),
        value: row => row.name,
        cell: row => (
          <Link
            to="/campaigns/$cid/personas/$pid"
            params={{ cid: row.cid, pid: row.pid }}
            className="strong-link"
          >
            {row.name}
          </Link>
        ),
        total: rows => t('table.total', { count: rows.length }),
        width: 230,
      },
      ...onOffColumns<Row>(may, ({ pid }, enabled) => mutate({ pids: [pid], enabled }, { onError: refused })),
      {
        id: 'status',
        title: t('campaigns.status'),
        value: row => named('status', row.enabled ? 'on' : 'paused'),
        cell: row => <StatusBadge status={row.enabled ? 'on' : 'paused'} />,
        width: 110,
      },
      {
        id: 'where',
        title: t('personas.where'),
        value: row => row.where,
        cell: row => (
          <Text size="sm" c="dimmed" component="span">
            {row.where}
          </Text>
        ),
        width: 220,
      },
      ...figureColumns<Row>(),
    ],
    [mutate, refused, may],
  )
}

interface BulkProps extends PersonaTableProps {
  chosen: readonly Row[]
  onDone: () => void
}

function Bulk({ cuid, cid, chosen, onDone }: BulkProps) {
  const switching = useSwitchPersonas(cuid, cid)
  const notice = useNotice()
  const to = (enabled: boolean) =>
    switching.mutate({ pids: chosen.map(idOf), enabled }, { onSuccess: onDone, onError: notice.refused })
  return (
    <Group gap="xs">
      <OnOffButtons pending={switching.isPending} onSwitch={to} />
    </Group>
  )
}
