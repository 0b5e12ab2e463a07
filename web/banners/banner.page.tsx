// One banner: the image, what the review found, and its fields.

import { Alert, Button, Grid, List, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { DeleteButton } from '../form/delete-button.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { kilobytes } from '../format/format.ts'
import { useCuid } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.ts'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import { t } from '../words/words.ts'
import { type Banner, bannerQuery, bannersQuery, sizeOf, useBanner, useDeleteBanner } from './data.ts'
import { Drop } from './drop.tsx'
import { Preview } from './preview.tsx'

export function BannerPage() {
  const cuid = useCuid()
  const { cid, pid, bid } = useParams({ from: '/inside/customer/campaigns/$cid/personas/$pid/banners/$bid' })
  const banner = useBanner(cuid, cid, pid, bid)
  const removing = useDeleteBanner(cuid, cid, pid)
  const navigate = useNavigate()
  if (banner.isPending) return <Waiting />
  if (banner.error) return <Refused error={banner.error} onRetry={() => banner.refetch()} />
  const leave = () => navigate({ to: '/campaigns/$cid/personas/$pid', params: { cid, pid } })
  return (
    <>
      <PageHead
        title={banner.data.name}
        badge={<StatusBadge status={banner.data.status} />}
        crumbs={[
          { name: t('campaigns.title'), to: '/campaigns' },
          { name: t('campaigns.one', { id: cid }), to: `/campaigns/${cid}` },
          { name: t('personas.one', { id: pid }), to: `/campaigns/${cid}/personas/${pid}` },
        ]}
      >
        <DeleteButton
          title={t('banners.deleteTitle', { name: banner.data.name })}
          about={t('banners.deleteAbout')}
          busy={removing.isPending}
          error={removing.error}
          onConfirm={() => removing.mutate(bid, { onSuccess: leave })}
        />
      </PageHead>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Verdict banner={banner.data} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <BannerForm key={banner.data.updated} cuid={cuid} banner={banner.data} />
        </Grid.Col>
      </Grid>
    </>
  )
}

function Verdict({ banner }: { banner: Banner }) {
  return (
    <Panel title={t('banners.preview')}>
      <Stack>
        <Preview creativeURL={banner.creativeURL} name={banner.name} maxHeight={420} />
        <Text size="sm" c="dimmed">
          {[sizeOf(banner), banner.type, banner.bytes === null ? null : kilobytes(banner.bytes)]
            .filter(Boolean)
            .join(' · ')}
        </Text>
        <div role="status">
          {banner.status === 'approved' && (
            <Alert role="group" color="green" icon={<Icon name="check" />} title={t('banners.approved')} />
          )}
          {banner.status === 'pending' && (
            <Alert role="group" color="yellow" title={t('banners.pending')}>
              {banner.reasons.join(' ')}
            </Alert>
          )}
          {banner.status === 'rejected' && (
            <Alert role="group" color="red" icon={<Icon name="warning" />} title={t('banners.rejected')}>
              <List size="sm">
                {banner.reasons.map(reason => (
                  <List.Item key={reason}>{reason}</List.Item>
                ))}
              </List>
            </Alert>
          )}
        </div>
      </Stack>
    </Panel>
  )
}

function BannerForm({ cuid, banner }: { cuid: number; banner: Banner }) {
  const client = useQueryClient()
  const errors = useFieldErrors()
  const notice = useNotice()
  const [name, setName] = useState(banner.name)
  const [clickUrl, setClickUrl] = useState(banner.clickUrl ?? '')
  const [creativeURL, setCreativeURL] = useState(banner.creativeURL)
  const [busy, setBusy] = useState(false)
  const { cid, pid, bid } = banner
  const run = async (work: () => Promise<void>) => {
    setBusy(true)
    errors.clear()
    await work().catch(errors.take)
    setBusy(false)
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    run(async () => {
      const url = clickUrl.trim() === '' ? null : clickUrl.trim()
      const body = {
        name,
        clickUrl: url,
        ...(creativeURL === banner.creativeURL ? {} : { creativeURL }),
      }
      const changed = await api.editBanner({ cuid, cid, pid, bid, body })
      client.setQueryData(bannerQuery(cuid, cid, pid, bid).queryKey, changed)
      client.invalidateQueries({ queryKey: bannersQuery(cuid, cid, pid).queryKey })
      notice.done(t('form.saved'))
    })
  }
  const replace = (files: File[]) =>
    run(async () => {
      const file = files[0]
      if (file) setCreativeURL((await api.uploadCreative({ cuid, body: file })).creativeURL)
    })
  return (
    <Panel title={t('banners.settings')}>
      <form onSubmit={save} noValidate>
        <Stack>
          <FormProblem errors={errors} />
          <TextInput
            label={t('form.name')}
            value={name}
            error={errors.at('/name')}
            onChange={event => setName(event.currentTarget.value)}
          />
          <TextInput
            label={t('banners.clickUrl')}
            description={t('banners.clickUrlAbout')}
            type="url"
            value={clickUrl}
            error={errors.at('/clickUrl')}
            onChange={event => setClickUrl(event.currentTarget.value)}
          />
          <TextInput
            label={t('banners.creativeUrl')}
            description={t('banners.creativeUrlAbout')}
            value={creativeURL}
            error={errors.at('/creativeURL')}
            onChange={event => setCreativeURL(event.currentTarget.value)}
          />
          <Drop onFiles={replace} />
          <Button type="submit" loading={busy}>
            {t('form.save')}
          </Button>
        </Stack>
      </form>
    </Panel>
  )
}
