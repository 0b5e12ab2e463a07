// The flights of a campaign: when it delivers, and how to change that.

import { Button, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { api, keyOf } from '../api/client.ts'
import type { Campaign } from '../campaigns/data.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { DeleteButton } from '../form/delete-button.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { dateTime, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { nowMs } from '../sandbox/clock.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import type { Column } from '../table/column.ts'
import { ListPanel } from '../table/list-panel.tsx'
import { named, t } from '../words/words.ts'
import { flightBodyOf } from './body.ts'
import { type Flight, useDeleteFlight, useFlights, useKeepFlight } from './data.ts'
import { newFlightDraft } from './draft.ts'
import { FlightFields } from './fields.tsx'
import { type FlightStatus, flightStatus } from './flight-status.ts'

interface Row extends Flight {
  status: FlightStatus
}
const idOf = (row: Row) => row.fid
const nameOf = (row: Row) => row.name
const textOf = (row: Row) => `${row.name} ${named('status', row.status)}`

export function FlightTable({ campaign }: { campaign: Campaign }) {
  const { cuid, cid } = campaign
  const flights = useFlights(cuid, cid)
  const [creating, setCreating] = useState(false)
  const may = useMay()
  const columns = useColumns(cuid)
  const rows = useMemo(() => {
    const all = flights.data ?? []
    return all.map(flight => ({ ...flight, status: flightStatus(flight, all, campaign, nowMs() / 1000) }))
  }, [flights.data, campaign])
  if (flights.isPending) return <Waiting height={240} />
  if (!flights.data) return <Refused error={flights.error} onRetry={() => flights.refetch()} />
  const only = rows.length === 1
  return (
    <>
      <Text size="sm" c="dimmed" mb="md" maw={760}>
        {t(only ? 'flights.onlyBorn' : 'flights.about')}
      </Text>
      <ListPanel
        id="flights"
        label={t('flights.title')}
        rows={rows}
        columns={columns}
        idOf={idOf}
        nameOf={nameOf}
        textOf={textOf}
        sorting={{ column: 'start', descending: false }}
        fileName={t('flights.file')}
        actions={
          may.edit && (
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
              {t('flights.new')}
            </Button>
          )
        }
        empty={null}
      />
      <NewFlight
        campaign={campaign}
        flights={flights.data}
        opened={creating}
        onClose={() => setCreating(false)}
      />
    </>
  )
}

function useColumns(cuid: number): Column<Row>[] {
  const timezone = useZone()
  return useMemo(
    () => [
      {
        id: 'name',
        title: t('flights.name'),
        value: row => row.name,
        cell: row => (
          <Link
            to="/campaigns/$cid/flights/$fid"
            params={{ cid: row.cid, fid: row.fid }}
            className="strong-link"
          >
            {row.name}
          </Link>
        ),
        width: 170,
      },
      {
        id: 'status',
        title: t('campaigns.status'),
        value: row => named('status', row.status),
        cell: row => <StatusBadge status={row.status} />,
        width: 106,
      },
      {
        id: 'start',
        title: t('campaigns.start'),
        value: row => row.start,
        cell: row => dateTime(row.start, timezone),
        width: 184,
      },
      {
        id: 'end',
        title: t('campaigns.end'),
        value: row => row.end,
        cell: row => dateTime(row.end, timezone),
        width: 184,
      },
      {
        id: 'total',
        title: t('campaigns.total'),
        numeric: true,
        value: row => row.totalSpend,
        cell: row => (row.totalSpend === null ? '–' : money(row.totalSpend)),
        width: 108,
      },
      {
        id: 'actions',
        title: t('table.actions'),
        control: true,
        value: () => null,
        cell: row => <Actions cuid={cuid} flight={row} />,
        width: 232,
      },
    ],
    [cuid, timezone],
  )
}

function Actions({ cuid, flight }: { cuid: number; flight: Flight }) {
  const { cid, fid, name } = flight
  const removing = useDeleteFlight(cuid, cid)
  const notice = useNotice()
  const may = useMay()
  if (flight.default) {
    return (
      <Text size="xs" c="dimmed" component="span">
        {t('flights.follows')}
      </Text>
    )
  }
  if (!may.edit) return null
  const remove = () =>
    removing.mutateAsync(fid).then(
      () => notice.done(t('flights.deleted', { name })),
      // The error is shown in the dialog.
      () => {},
    )
  return (
    <Group gap="xs" wrap="nowrap">
      <Button
        component={Link}
        to={`/campaigns/${cid}/flights/${fid}`}
        size="xs"
        variant="default"
        aria-label={t('form.editNamed', { name })}
      >
        {t('form.edit')}
      </Button>
      <DeleteButton
        size="xs"
        name={name}
        title={t('flights.deleteTitle', { name })}
        about={t('flights.deleteAbout')}
        busy={removing.isPending}
        error={removing.error}
        onConfirm={remove}
      />
    </Group>
  )
}

interface NewFlightProps {
  campaign: Campaign
  flights: readonly Flight[]
  opened: boolean
  onClose: () => void
}

/** Adds a flight to a campaign. */
function NewFlight({ opened, onClose, ...props }: NewFlightProps) {
  return (
    <Dialog opened={opened} onClose={onClose} size="lg" title={t('flights.new')}>
      <Form {...props} onClose={onClose} />
    </Dialog>
  )
}

function Form({ campaign, flights, onClose }: Omit<NewFlightProps, 'opened'>) {
  const { cuid, cid } = campaign
  const [draft, setDraft] = useState(() =>
    newFlightDraft(campaign, flights, nowMs() / 1000, t('flights.firstName', { number: flights.length })),
  )
  const errors = useFieldErrors(flightBodyOf(draft, campaign, flights))
  const keep = useKeepFlight(cuid, cid)
  const notice = useNotice()
  const create = async (formKey: string) => {
    const body = flightBodyOf(draft, campaign, flights)
    keep(await api.createFlight({ cuid, cid, body }, { idempotencyKey: keyOf(formKey, body) }))
    notice.done(t('flights.created', { name: body.name }))
    onClose()
  }
  return (
    <CreateForm
      action={t('flights.create')}
      errors={errors}
      dirty={useDirty(draft)}
      create={create}
      onCancel={onClose}
    >
      <FlightFields campaign={campaign} draft={draft} errors={errors} onChange={setDraft} />
    </CreateForm>
  )
}
