// Dropped images: checked in the browser, uploaded if they fit, named, and turned into banners when the form is sent.
// Those that do not fit stay visible with the reason, and can be cropped or resized in place.

import { Alert, Button, CloseButton, Grid, Group, Loader, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Upload } from '../../src/manage/banners/contract.ts'
import { api, MarqueeError, newIdempotencyKey } from '../api/client.ts'
import type { FieldErrors } from '../form/field-errors.ts'
import { completeAddress } from '../form/web-address.ts'
import { kilobytes } from '../format/format.ts'
import { Icon } from '../shell/icon.tsx'
import { problemSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import { sizeOf } from './data.ts'
import { Drop } from './drop.tsx'
import { adSizesQuery, canBeMended, type Looked, lookAt, misfits, useAdSizes } from './fit.ts'
import { FitDialog } from './fit-dialog.tsx'
import { Preview } from './preview.tsx'

export interface BannerDraft {
  /** Also the idempotency key of its creation. */
  key: string
  name: string
  file: File
  looked: Looked | null
  upload: Upload | null
  /** Why it cannot be a banner, in words. */
  problems: string[]
  /** The file is fine, but its upload failed. */
  canRetry?: boolean
}

export interface BannerDrafts {
  list: BannerDraft[]
  clickUrl: string
}

export const NO_BANNERS: BannerDrafts = { list: [], clickUrl: '' }

/** What prevents sending the form; null if nothing does. */
export function uploadsInTheWay({ list }: BannerDrafts): string | null {
  const bad = list.filter(draft => draft.problems.length > 0).length
  if (bad > 0) return t('banners.someDoNotFit', { count: bad })
  return list.every(draft => draft.upload) ? null : t('banners.stillUploading')
}

/** The bodies of the banners to create. */
export function bannerBodies({ list, clickUrl }: BannerDrafts) {
  const url = completeAddress(clickUrl) || null
  return list.map(({ name, upload }) => ({
    // An image that is not uploaded yet prevents sending.
    creativeURL: upload?.creativeURL ?? '',
    name: name.trim() === '' ? null : name,
    clickUrl: url,
  }))
}

interface UploadsProps {
  cuid: number
  drafts: BannerDrafts
  errors: FieldErrors
  /** What prevents sending, once the user has tried. */
  inTheWay?: string | null
  /** The path of the nth banner in the errors. Without it, errors are at the form's own fields. */
  pathOf?: (index: number) => string
  onChange: (update: (drafts: BannerDrafts) => BannerDrafts) => void
}

export function Uploads({ cuid, drafts, errors, inTheWay, pathOf, onChange }: UploadsProps) {
  const [refusedFile, setRefusedFile] = useState<string>()
  const client = useQueryClient()
  const change = (key: string, part: Partial<BannerDraft>) =>
    onChange(now => ({ ...now, list: now.list.map(one => (one.key === key ? { ...one, ...part } : one)) }))
  const remove = (key: string) => onChange(now => ({ ...now, list: now.list.filter(one => one.key !== key) }))
  const upload = async (key: string, file: File) => {
    change(key, { problems: [], canRetry: false })
    try {
      const looked = await lookAt(file)
      const problems = misfits(looked, await client.ensureQueryData(adSizesQuery))
      change(key, { looked, problems })
      if (problems.length === 0) change(key, { upload: await api.uploadCreative({ cuid, body: file }) })
    } catch (error) {
      const canRetry = !(error instanceof MarqueeError && error.status >= 400 && error.status < 429)
      change(key, { problems: [problemSentence(error)], canRetry })
    }
  }
  const take = (files: File[]) => {
    setRefusedFile(files.length === 0 ? t('banners.noFile') : undefined)
    for (const file of files) {
      const key = newIdempotencyKey()
      const name = file.name.replace(/\.\w+$/, '')
      const draft = { key, name, file, looked: null, upload: null, problems: [] }
      onChange(now => ({ ...now, list: [...now.list, draft] }))
      upload(key, file)
    }
  }
  const replace = (key: string, file: File) => {
    change(key, { file, looked: null, upload: null, problems: [], name: file.name.replace(/\.\w+$/, '') })
    upload(key, file)
  }
  const at = (field: string) =>
    pathOf ? drafts.list.map((_, index) => errors.at(pathOf(index) + field)).find(Boolean) : errors.at(field)
  return (
    <Stack gap="md">
      <Drop onFiles={take} error={refusedFile ?? inTheWay ?? at('/creativeURL')} />
      {drafts.list.map((draft, index) => (
        <DraftCard
          key={draft.key}
          draft={draft}
          error={pathOf && errors.at(pathOf(index))}
          onName={name => change(draft.key, { name })}
          onFile={file => replace(draft.key, file)}
          onRetry={() => upload(draft.key, draft.file)}
          onRemove={() => remove(draft.key)}
        />
      ))}
      <TextInput
        label={t('banners.clickUrl')}
        description={t('banners.clickUrlAbout')}
        type="url"
        placeholder="https://"
        value={drafts.clickUrl}
        error={at('/clickUrl')}
        onChange={event => {
          const clickUrl = event.currentTarget.value
          onChange(now => ({ ...now, clickUrl }))
        }}
      />
    </Stack>
  )
}

interface DraftCardProps {
  draft: BannerDraft
  error?: string
  onName: (name: string) => void
  onFile: (file: File) => void
  onRetry: () => void
  onRemove: () => void
}

function DraftCard({ draft, error, onName, onFile, onRetry, onRemove }: DraftCardProps) {
  const { upload, problems, looked, file } = draft
  const sizes = useAdSizes()
  const [fitting, setFitting] = useState(false)
  return (
    <Paper p="sm">
      <Grid gap="sm" align="center">
        <Grid.Col span={{ base: 12, xs: 5 }}>
          {upload && <Preview creativeURL={upload.creativeURL} name={draft.name} maxHeight={120} />}
          {!upload && problems.length === 0 && <Loader size="sm" aria-label={t('banners.uploading')} />}
          {problems.length > 0 && (
            <Alert color="red" icon={<Icon name="warning" />} role="alert" title={file.name}>
              {problems.map(problem => (
                <Text key={problem} size="sm">
                  {problem}
                </Text>
              ))}
              {draft.canRetry && (
                <Button size="xs" variant="default" mt="xs" onClick={onRetry}>
                  {t('common.retry')}
                </Button>
              )}
              {!draft.canRetry && looked && canBeMended(looked) && sizes.length > 0 && (
                <Button size="xs" variant="default" mt="xs" onClick={() => setFitting(true)}>
                  {t('fit.open')}
                </Button>
              )}
            </Alert>
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, xs: 7 }}>
          <Group wrap="nowrap" align="flex-end">
            <TextInput
              label={t('form.name')}
              value={draft.name}
              error={error}
              onChange={event => onName(event.currentTarget.value)}
              style={{ flex: 1 }}
            />
            <CloseButton mb={4} aria-label={t('form.removeNamed', { name: draft.name })} onClick={onRemove} />
          </Group>
          <Text size="xs" c="dimmed" mt={6}>
            {factsOf(draft)}
          </Text>
        </Grid.Col>
      </Grid>
      {fitting && looked && (
        <FitDialog
          file={file}
          looked={looked}
          sizes={sizes}
          onClose={() => setFitting(false)}
          onUse={made => {
            setFitting(false)
            onFile(made)
          }}
        />
      )}
    </Paper>
  )
}

function factsOf({ upload, looked, file }: BannerDraft): string {
  if (upload) return `${sizeOf(upload)} · ${kilobytes(upload.bytes)} · ${t('banners.fits')}`
  if (!looked?.width) return kilobytes(file.size)
  return `${sizeOf(looked)} · ${kilobytes(looked.bytes)}`
}

/** Adds all of them to a persona, or none; errors are at `/banners/0` and so on. */
export async function createBanners(
  cuid: number,
  { cid, pid }: { cid: number; pid: number },
  drafts: BannerDrafts,
  idempotencyKey: string,
): Promise<void> {
  const operations = bannerBodies(drafts).map(body => ({ op: 'createBanner' as const, cid, pid, body }))
  const { results } = await api.bulk({ cuid, body: { operations, atomic: true } }, { idempotencyKey })
  const errors = results.flatMap(({ error }, index) =>
    (error?.errors ?? []).map(entry => ({ ...entry, path: `/banners/${index}${entry.path}` })),
  )
  const failed = results.find(({ error }) => error)
  if (failed) throw new MarqueeError(failed.status, { ...failed.error, errors } as Partial<MarqueeError>)
}
