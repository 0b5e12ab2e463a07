// Banners that wait for a person, one at a time: the picture as it will be shown, whose it is and where it leads. Keys
// work only while the banner has the focus, so that they do nothing unexpected elsewhere on the page.

import { Anchor, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { imageUrl } from '../api/client.ts'
import { dateTime, kilobytes } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { QUEUE_PAGE, type QueuedBanner, queueQuery, useDecideBanner } from './data.ts'
import './review.css'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'

export function ReviewPage() {
  const queue = useQuery(queueQuery)
  return (
    <>
      <PageHead title={t('review.title')} />
      {queue.isPending && <Waiting height={400} />}
      {queue.error && <Refused error={queue.error} onRetry={() => queue.refetch()} />}
      {queue.data?.length === 0 && (
        <Nothing icon="check" title={t('review.none')} about={t('review.noneAbout')} />
      )}
      {queue.data && queue.data.length > 0 && <Queue banners={queue.data} />}
    </>
  )
}

function Queue({ banners }: { banners: readonly QueuedBanner[] }) {
  const [bid, setBid] = useState(banners[0]!.bid)
  // The place in the queue is kept when its banner is decided: the next one moves up.
  const [place, setPlace] = useState(0)
  const known = banners.findIndex(banner => banner.bid === bid)
  const at = known >= 0 ? known : Math.min(place, banners.length - 1)
  const banner = banners[at]!
  const move = (by: number) => {
    const next = Math.max(0, Math.min(banners.length - 1, at + by))
    setPlace(next)
    setBid(banners[next]!.bid)
  }
  const count = banners.length
  const word = count < QUEUE_PAGE ? 'review.place' : 'review.placeOfMany'
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" aria-live="polite">
          {t(word, { n: at + 1, count })}
        </Text>
        <Group gap="xs">
          <Button variant="default" disabled={at === 0} onClick={() => move(-1)}>
            {t('review.previous')}
          </Button>
          <Button variant="default" disabled={at === count - 1} onClick={() => move(1)}>
            {t('review.next')}
          </Button>
        </Group>
      </Group>
      <One
        key={`${banner.bid} ${banner.round}`}
        banner={banner}
        onMove={move}
        onDecided={() => setPlace(at)}
      />
    </Stack>
  )
}

interface OneProps {
  banner: QueuedBanner
  onMove: (by: number) => void
  onDecided: () => void
}

function One({ banner, onMove, onDecided }: OneProps) {
  const { name } = banner
  const may = useMay()
  const notice = useNotice()
  const deciding = useDecideBanner()
  const [rejecting, setRejecting] = useState(false)
  const card = useRef<HTMLElement>(null)
  useEffect(() => card.current?.focus({ preventScroll: true }), [])
  const approve = () => {
    if (deciding.isPending) return
    deciding.mutate(
      { banner },
      {
        onSuccess: () => {
          notice.done(t('review.approved', { name }))
          onDecided()
        },
        onError: notice.refused,
      },
    )
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || rejecting) return
    const deed = deedOf(event.key)
    if (deed === null) return
    if (typeof deed === 'number') onMove(deed)
    else if (!may.review) return
    else if (deed === 'approve') approve()
    else setRejecting(true)
    event.preventDefault()
  }
  return (
    <>
      <section
        ref={card}
        tabIndex={-1}
        className="rv-card"
        aria-label={t('review.banner', { name })}
        onKeyDown={onKeyDown}
      >
        <div className="rv-picture">
          <img
            src={imageUrl(banner.image)}
            width={banner.width ?? undefined}
            height={banner.height ?? undefined}
            alt={t('review.alt', { name })}
          />
        </div>
        <Facts banner={banner} />
        {may.review && (
          <Group gap="sm">
            <Button
              leftSection={<Icon name="check" size={16} />}
              loading={deciding.isPending}
              onClick={approve}
            >
              {t('review.approve')}
            </Button>
            <Button
              variant="default"
              leftSection={<Icon name="stop" size={16} />}
              onClick={() => setRejecting(true)}
            >
              {t('review.reject')}
            </Button>
            <Text size="xs" c="dimmed" visibleFrom="sm">
              {t('review.keys')}
            </Text>
          </Group>
        )}
      </section>
      <RejectDialog
        banner={banner}
        opened={rejecting}
        onClose={() => setRejecting(false)}
        onRejected={() => {
          setRejecting(false)
          notice.done(t('review.rejected', { name }))
          onDecided()
        }}
      />
    </>
  )
}

function deedOf(key: string): 'approve' | 'reject' | number | null {
  switch (key) {
    case 'a':
    case 'A':
      return 'approve'
    case 'r':
    case 'R':
      return 'reject'
    case 'ArrowLeft':
    case 'ArrowUp':
      return -1
    case 'ArrowRight':
    case 'ArrowDown':
      return 1
    default:
      return null
  }
}

function Facts({ banner }: { banner: QueuedBanner }) {
  const zone = useZone()
  const { cuid, company, campaign, name, clickUrl, width, height, type, bytes, animated, round, since } =
    banner
  const image = [
    `${width} × ${height}`,
    type?.replace('image/', '').toUpperCase(),
    bytes === null ? null : kilobytes(bytes),
    animated ? t('review.animated') : null,
  ]
  return (
    <dl className="rv-facts">
      <Fact title={t('review.customer')}>
        <Link to="/customers/$cuid" params={{ cuid }} className="strong-link">
          {company}
        </Link>
      </Fact>
      <Fact title={t('review.campaign')}>
        {campaign} · {name}
      </Fact>
      <Fact title={t('review.landing')}>
        {clickUrl === null ? (
          t('review.noLanding')
        ) : (
          <Anchor href={clickUrl} target="_blank" rel="noopener noreferrer" inherit>
            {clickUrl}
          </Anchor>
        )}
      </Fact>
      <Fact title={t('review.image')}>{image.filter(Boolean).join(', ')}</Fact>
      <Fact title={t('review.since')}>{dateTime(since, zone)}</Fact>
      {round > 1 && <Fact title={t('review.again')}>{t('review.againAbout', { round })}</Fact>}
    </dl>
  )
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  )
}

interface RejectDialogProps {
  banner: QueuedBanner
  opened: boolean
  onClose: () => void
  onRejected: () => void
}

/** Rejects a banner, after asking why. The reason is for the customer. */
function RejectDialog({ banner, opened, onClose, onRejected }: RejectDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={t('review.rejectTitle', { name: banner.name })}>
      <Form banner={banner} onClose={onClose} onRejected={onRejected} />
    </Dialog>
  )
}

function Form({ banner, onClose, onRejected }: Omit<RejectDialogProps, 'opened'>) {
  const [reason, setReason] = useState('')
  const errors = useFieldErrors({ reason })
  const deciding = useDecideBanner()
  const reject = async () => {
    await deciding.mutateAsync({ banner, reason: reason.trim() })
    onRejected()
  }
  return (
    <CreateForm
      action={t('review.reject')}
      errors={errors}
      dirty={useDirty(reason)}
      create={reject}
      onCancel={onClose}
    >
      <Textarea
        label={t('review.reason')}
        description={t('review.reasonAbout')}
        withAsterisk
        autosize
        minRows={3}
        maxLength={500}
        data-autofocus
        value={reason}
        error={errors.at('/reason')}
        onChange={event => setReason(event.currentTarget.value)}
      />
    </CreateForm>
  )
}
