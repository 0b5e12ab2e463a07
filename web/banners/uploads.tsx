// Images that were dropped: uploaded at once, named, and turned into banners when the form is sent.

import { Alert, CloseButton, Grid, Group, Loader, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Upload } from '../../src/banners/contract.ts'
import { api, newIdempotencyKey } from '../api/client.ts'
import type { FieldErrors } from '../form/field-errors.ts'
import { kilobytes } from '../format/format.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { sizeOf } from './data.ts'
import { Drop } from './drop.tsx'
import { Preview } from './preview.tsx'

export interface BannerDraft {
  /** Also the idempotency key of its creation. */
  key: string
  name: string
  upload: Upload | null
  problem: string | null
  /** Set once it exists, so that a second try does not create it again. */
  bid: number | null
}

export interface BannerDrafts {
  list: BannerDraft[]
  clickUrl: string
}

export const NO_BANNERS: BannerDrafts = { list: [], clickUrl: '' }

interface UploadsProps {
  cuid: number
  drafts: BannerDrafts
  errors: FieldErrors
  onChange: (update: (drafts: BannerDrafts) => BannerDrafts) => void
}

export function Uploads({ cuid, drafts, errors, onChange }: UploadsProps) {
  const [refusedFile, setRefusedFile] = useState<string>()
  const change = (key: string, part: Partial<BannerDraft>) =>
    onChange(now => ({ ...now, list: now.list.map(one => (one.key === key ? { ...one, ...part } : one)) }))
  const remove = (key: string) => onChange(now => ({ ...now, list: now.list.filter(one => one.key !== key) }))
  const take = (files: File[]) => {
    setRefusedFile(files.length === 0 ? t('banners.noFile') : undefined)
    for (const file of files) {
      const key = newIdempotencyKey()
      const name = file.name.replace(/\.\w+$/, '')
      onChange(now => ({
        ...now,
        list: [...now.list, { key, name, upload: null, problem: null, bid: null }],
      }))
      api.uploadCreative({ cuid, body: file }).then(
        upload => change(key, { upload }),
        (error: Error) => change(key, { problem: error.message }),
      )
    }
  }
  return (
    <Stack gap="md">
      <Drop onFiles={take} error={refusedFile ?? errors.at('/creativeURL')} />
      {drafts.list.map(draft => (
        <DraftCard
          key={draft.key}
          draft={draft}
          onName={name => change(draft.key, { name })}
          onRemove={() => remove(draft.key)}
        />
      ))}
      <TextInput
        label={t('banners.clickUrl')}
        description={t('banners.clickUrlAbout')}
        type="url"
        placeholder="https://"
        value={drafts.clickUrl}
        error={errors.at('/clickUrl')}
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
  onName: (name: string) => void
  onRemove: () => void
}

function DraftCard({ draft, onName, onRemove }: DraftCardProps) {
  const { upload, problem } = draft
  return (
    <Paper p="sm">
      <Grid gap="sm" align="center">
        <Grid.Col span={{ base: 12, xs: 5 }}>
          {upload && <Preview creativeURL={upload.creativeURL} name={draft.name} maxHeight={120} />}
          {!upload && !problem && <Loader size="sm" aria-label={t('banners.uploading')} />}
          {problem && (
            <Alert color="red" icon={<Icon name="warning" />} role="alert">
              {problem}
            </Alert>
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, xs: 7 }}>
          <Group wrap="nowrap" align="flex-end">
            <TextInput
              label={t('form.name')}
              value={draft.name}
              onChange={event => onName(event.currentTarget.value)}
              style={{ flex: 1 }}
            />
            <CloseButton mb={4} aria-label={t('form.removeNamed', { name: draft.name })} onClick={onRemove} />
          </Group>
          {upload && (
            <Text size="xs" c="dimmed" mt={6}>
              {sizeOf(upload)} · {kilobytes(upload.bytes)}
            </Text>
          )}
        </Grid.Col>
      </Grid>
    </Paper>
  )
}

/** Creates what is not there yet, one after the other. */
export async function createBanners(
  cuid: number,
  { cid, pid }: { cid: number; pid: number },
  drafts: BannerDrafts,
  onCreated: (key: string, bid: number) => void,
): Promise<void> {
  for (const { key, name, upload, bid } of drafts.list) {
    if (!upload || bid !== null) continue
    const body = {
      creativeURL: upload.creativeURL,
      name: name.trim() === '' ? null : name,
      clickUrl: drafts.clickUrl.trim() === '' ? null : drafts.clickUrl.trim(),
    }
    const created = await api.createBanner({ cuid, cid, pid, body })
    onCreated(key, created.bid)
  }
}
