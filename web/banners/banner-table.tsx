// The banners of a persona with their review and figures, and the way to add more.

import { Button, Group, Stack, Text, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { imageUrl, keyOf, newIdempotencyKey } from '../api/client.ts'
import { useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { useUnsaved } from '../form/unsaved.ts'
import { usePeriod } from '../period/use-period.ts'
import { type May, useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import { figureColumns, useChildFigures, type WithFigures } from '../stats/figure-columns.ts'
import type { Column } from '../table/column.ts'
import { ListPanel } from '../table/list-panel.tsx'
import { OnOffButtons, onOffColumns } from '../table/on-off.tsx'
import { fieldSentence } from '../words/error-words.ts'
import { named, t } from '../words/words.ts'
import { type Banner, sizeOf, useBanners, useBannersAnew, useSwitchBanners } from './data.ts'
import { bannerBodies, createBanners, NO_BANNERS, Uploads, uploadsInTheWay } from './uploads.tsx'

interface Row extends Banner, WithFigures {}
const idOf = (row: Row) => row.bid
const nameOf = (row: Row) => row.name
const statusOf = (row: Row) => row.status
const spendOf = (row: Row) => row.figures?.spend ?? null

interface BannerTableProps {
  cuid: number
  cid: number
  pid: number
}

export function BannerTable({ cuid, cid, pid }: BannerTableProps) {
  const banners = useBanners(cuid, cid, pid)
  const listed = useMemo(() => banners.data?.map(({ bid }) => bid), [banners.data])
  const { figuresOf, rest } = useChildFigures(pid, 'banner', listed)
  const period = usePeriod()
  const may = useMay()
  const [adding, setAdding] = useState(false)
  const columns = useColumns(cuid, cid, pid)
  const rows = useMemo(
    () => (banners.data ?? []).map(banner => ({ ...banner, figures: figuresOf(banner.bid) })),
    [banners.data, figuresOf],
  )
  if (banners.isPending) return <Waiting height={240} />
  if (!banners.data) return <Refused error={banners.error} onRetry={() => banners.refetch()} />
  const add = may.edit && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
      {t('banners.add')}
    </Button>
  )
  return (
    <Stack>
      {adding && <AddBanners cuid={cuid} cid={cid} pid={pid} onDone={() => setAdding(false)} />}
      <ListPanel
        id="banners"
        label={t('banners.title')}
        rows={rows}
        rest={rest}
        columns={columns}
        idOf={idOf}
        nameOf={nameOf}
        statusOf={statusOf}
        spendOf={spendOf}
        period={period}
        sorting={{ column: 'imps', descending: true }}
        fileName={t('banners.file')}
        totals
        bulk={
          may.pause
            ? (chosen, done) => <Bulk cuid={cuid} cid={cid} pid={pid} chosen={chosen} onDone={done} />
            : undefined
        }
        actions={!adding && rows.length > 0 && add}
        empty={
          <Nothing icon="image" title={t('banners.none')} about={t('banners.noneAbout')}>
            {!adding && add}
          </Nothing>
        }
      />
    </Stack>
  )
}

function useColumns(cuid: number, cid: number, pid: number): Column<Row>[] {
  const { mutate } = useSwitchBanners(cuid, cid, pid)
  const { refused } = useNotice()
  const may = useMay()
  return useMemo(
    () => columnsOf(may, (bid, enabled) => mutate({ bids: [bid], enabled }, { onError: refused })),
    [mutate, refused, may],
  )
}

function columnsOf(may: May, onSwitch: (bid: number, enabled: boolean) => void): Column<Row>[] {
  return [
    {
      id: 'name',
      title: t('banners.name'),
      value: row => row.name,
      cell: row => (
        <Group gap="sm" wrap="nowrap">
          <Thumb banner={row} />
          <Link
            to="/campaigns/$cid/personas/$pid/banners/$bid"
            params={{ cid: row.cid, pid: row.pid, bid: row.bid }}
            className="strong-link thumb-name"
            title={row.name}
          >
            {row.name}
          </Link>
        </Group>
      ),
      total: rows => t('table.total', { count: rows.length }),
      width: 260,
    },
    ...onOffColumns<Row>(may, ({ bid }, enabled) => onSwitch(bid, enabled)),
    {
      id: 'status',
      title: t('banners.review'),
      value: row => named('status', row.status),
      cell: row => <Review banner={row} />,
      width: 130,
    },
    { id: 'size', title: t('banners.size'), value: sizeOf, width: 110 },
    ...figureColumns<Row>(),
  ]
}

interface BulkProps extends BannerTableProps {
  chosen: readonly Row[]
  onDone: () => void
}

function Bulk({ cuid, cid, pid, chosen, onDone }: BulkProps) {
  const switching = useSwitchBanners(cuid, cid, pid)
  const notice = useNotice()
  const to = (enabled: boolean) =>
    switching.mutate({ bids: chosen.map(idOf), enabled }, { onSuccess: onDone, onError: notice.refused })
  return (
    <Group gap="xs">
      <OnOffButtons pending={switching.isPending} onSwitch={to} />
    </Group>
  )
}

function Thumb({ banner }: { banner: Banner }) {
  if (!banner.creativeURL.startsWith('/')) {
    return (
      <span className="thumb">
        <Icon name="image" size={16} />
      </span>
    )
  }
  return <img className="thumb" src={imageUrl(banner.creativeURL)} alt="" loading="lazy" />
}

export function Review({ banner }: { banner: Banner }) {
  const badge = <StatusBadge status={banner.status} />
  if (banner.reasons.length === 0) return badge
  return (
    <Tooltip
      multiline
      w={320}
      events={{ hover: true, focus: true, touch: true }}
      label={banner.findings.map(finding => (
        <Text key={finding.message} size="xs">
          {fieldSentence(finding)}
        </Text>
      ))}
    >
      <span>{badge}</span>
    </Tooltip>
  )
}

function AddBanners({ cuid, cid, pid, onDone }: BannerTableProps & { onDone: () => void }) {
  const anew = useBannersAnew(cuid, cid)
  const [drafts, setDrafts] = useState(NO_BANNERS)
  const errors = useFieldErrors({ banners: bannerBodies(drafts) })
  const [busy, setBusy] = useState(false)
  const [sent, setSent] = useState(false)
  const [formKey] = useState(newIdempotencyKey)
  const inTheWay = uploadsInTheWay(drafts)
  const letGo = useUnsaved(drafts.list.length > 0)
  const save = async () => {
    setSent(true)
    if (inTheWay) return
    setBusy(true)
    errors.clear()
    try {
      await createBanners(cuid, { cid, pid }, drafts, keyOf(formKey, drafts))
      letGo()
      onDone()
    } catch (error) {
      errors.take(error)
    } finally {
      anew()
      setBusy(false)
    }
  }
  return (
    <Panel title={t('banners.add')}>
      <Stack>
        <FormProblem errors={errors} />
        <Uploads
          cuid={cuid}
          drafts={drafts}
          errors={errors}
          inTheWay={sent ? inTheWay : null}
          pathOf={index => `/banners/${index}`}
          onChange={setDrafts}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t('form.cancel')}
          </Button>
          <Button onClick={save} loading={busy} disabled={drafts.list.length === 0}>
            {t('banners.addReady', { count: drafts.list.length })}
          </Button>
        </Group>
      </Stack>
    </Panel>
  )
}
