// One banner: the image, what the review found, and its fields.

import { Alert, Grid, List, Stack, Text } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { CopyButton } from '../form/copy-button.tsx'
import { DeleteButton } from '../form/delete-button.tsx'
import { DeliverSwitch } from '../form/deliver-switch.tsx'
import { kilobytes } from '../format/format.ts'
import { useCuid } from '../session/session.ts'
import { usePersonaCrumbs } from '../shell/crumbs.ts'
import { Icon } from '../shell/icon.tsx'
import { Gone, isGone } from '../shell/not-found.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import { fieldSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import {
  type Banner,
  sizeOf,
  useBanner,
  useCopyBanner,
  useDeleteBanner,
  useRestoreBanner,
  useSwitchBanners,
} from './data.ts'
import { EditBanner } from './edit-banner.tsx'
import { LandingPage } from './landing-page.tsx'
import { Preview } from './preview.tsx'

export function BannerPage() {
  const cuid = useCuid()
  const { cid, pid, bid } = useParams({ from: '/inside/customer/campaigns/$cid/personas/$pid/banners/$bid' })
  const banner = useBanner(cuid, cid, pid, bid)
  const removing = useDeleteBanner(cuid, cid, pid)
  const restore = useRestoreBanner(cuid, cid, pid)
  const copying = useCopyBanner(cuid, cid, pid)
  const switching = useSwitchBanners(cuid, cid, pid)
  const notice = useNotice()
  const crumbs = usePersonaCrumbs(cuid, cid, pid)
  const navigate = useNavigate()
  if (banner.isPending) return <Waiting />
  if (isGone(banner.error)) return <Gone to={`/campaigns/${cid}`} word={t('common.toCampaign')} />
  if (!banner.data) return <Refused error={banner.error} onRetry={() => banner.refetch()} />
  const { name, enabled, status } = banner.data
  const open = (opened: number) =>
    navigate({
      to: '/campaigns/$cid/personas/$pid/banners/$bid',
      params: { cid, pid, bid: opened },
    })
  const leave = () => {
    navigate({ to: '/campaigns/$cid/personas/$pid', params: { cid, pid } })
    notice.undo(t('banners.deleted', { name }), () => restore(bid).then(() => open(bid)))
  }
  const copy = () =>
    copying.mutate(
      { bid, name },
      {
        onSuccess: made => {
          notice.done(t('banners.copied'))
          open(made.bid)
        },
        onError: notice.refused,
      },
    )
  return (
    <>
      <PageHead title={name} badge={<StatusBadge status={enabled ? status : 'paused'} />} crumbs={crumbs}>
        <DeliverSwitch
          label={t('personas.deliver')}
          checked={enabled}
          onChange={next => switching.mutate({ bids: [bid], enabled: next }, { onError: notice.refused })}
        />
        <CopyButton busy={copying.isPending} onCopy={copy} />
        <DeleteButton
          title={t('banners.deleteTitle', { name })}
          about={t('banners.deleteAbout')}
          busy={removing.isPending}
          error={removing.error}
          onConfirm={() => removing.mutate(bid, { onSuccess: leave })}
        />
      </PageHead>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack>
            <Verdict banner={banner.data} />
            <LandingPage cuid={cuid} banner={banner.data} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <EditBanner key={bid} cuid={cuid} banner={banner.data} />
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
              {banner.findings.map(finding => fieldSentence(finding)).join(' ')}
            </Alert>
          )}
          {banner.status === 'rejected' && (
            <Alert role="group" color="red" icon={<Icon name="warning" />} title={t('banners.rejected')}>
              <List size="sm">
                {banner.findings.map(finding => (
                  <List.Item key={finding.message}>{fieldSentence(finding)}</List.Item>
                ))}
              </List>
            </Alert>
          )}
        </div>
      </Stack>
    </Panel>
  )
}
