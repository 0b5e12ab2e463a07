// The form that changes the settings of a banner and replaces its image.

import { Alert, Button, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type BannerEdit, MAX_WEIGHT } from '../../src/manage/banners/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { numberToSend, writeNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { within } from '../form/range.ts'
import { useEdit } from '../form/use-edit.ts'
import { completeAddress } from '../form/web-address.ts'
import { integer } from '../format/format.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { ClickParameters } from './click-parameters.tsx'
import { type Banner, useKeepBanner } from './data.ts'
import { Drop } from './drop.tsx'
import { adSizesQuery, canBeMended, type Looked, lookAt, misfits } from './fit.ts'
import { FitDialog } from './fit-dialog.tsx'

const weightProblem = within({ minimum: 1, maximum: MAX_WEIGHT })

interface BannerDraft {
  name: string
  clickUrl: string
  clickParameters: string
  /** As typed. */
  weight: string
  creativeURL: string
}

const draftOf = ({ name, clickUrl, clickParameters, weight, creativeURL }: Banner): BannerDraft => ({
  name,
  clickUrl: clickUrl ?? '',
  clickParameters: clickParameters ?? '',
  weight: writeNumber(weight, 0),
  creativeURL,
})
const bodyOf = ({ name, clickUrl, clickParameters, weight, creativeURL }: BannerDraft) => ({
  name,
  clickUrl: completeAddress(clickUrl) || null,
  clickParameters: clickParameters.trim() || null,
  weight: numberToSend(weight, 0),
  creativeURL: creativeURL.trim(),
})

export function EditBanner({ cuid, banner }: { cuid: number; banner: Tagged<Banner> }) {
  const { cid, pid, bid } = banner
  const edit = useEdit({
    current: banner,
    draftOf,
    bodyOf,
    read: () => tagged(api.withMeta.readBanner({ cuid, cid, pid, bid })),
    write: (changes, ifMatch) =>
      tagged(api.withMeta.editBanner({ cuid, cid, pid, bid, body: changes as BannerEdit }, { ifMatch })),
    keep: useKeepBanner(cuid, cid, pid),
  })
  const errors = useFieldErrors(edit.body)
  const { draft } = edit
  const set = (change: Partial<BannerDraft>) => edit.setDraft(now => ({ ...now, ...change }))
  return (
    <EditForm title={t('banners.settings')} errors={errors} edit={edit}>
      <TextInput
        label={t('form.name')}
        value={draft.name}
        error={errors.at('/name')}
        onChange={event => set({ name: event.currentTarget.value })}
      />
      <TextInput
        label={t('banners.clickUrl')}
        description={t('banners.clickUrlAbout')}
        type="url"
        value={draft.clickUrl}
        error={errors.at('/clickUrl')}
        onChange={event => set({ clickUrl: event.currentTarget.value })}
      />
      <ClickParameters
        value={draft.clickParameters}
        error={errors.at('/clickParameters')}
        onChange={clickParameters => set({ clickParameters })}
      />
      <NumberField
        label={t('banners.weight')}
        description={t('banners.weightAbout')}
        decimals={0}
        show={integer}
        check={weightProblem}
        value={draft.weight}
        error={errors.at('/weight')}
        onChange={weight => set({ weight })}
      />
      <TextInput
        label={t('banners.creativeUrl')}
        description={t('banners.creativeUrlAbout')}
        value={draft.creativeURL}
        error={errors.at('/creativeURL')}
        onChange={event => set({ creativeURL: event.currentTarget.value })}
      />
      <OtherImage cuid={cuid} onUploaded={creativeURL => set({ creativeURL })} onError={errors.take} />
    </EditForm>
  )
}

interface OtherImageProps {
  cuid: number
  onUploaded: (creativeURL: string) => void
  onError: (error: unknown) => void
}

/** An image that does not fit is reported before it is sent, and can be made to fit. */
function OtherImage({ cuid, onUploaded, onError }: OtherImageProps) {
  const client = useQueryClient()
  const [misfit, setMisfit] = useState<{ file: File; looked: Looked; problems: string[] } | null>(null)
  const [fitting, setFitting] = useState(false)
  const sizes = client.getQueryData<Awaited<ReturnType<typeof api.listAdSizes>>>(adSizesQuery.queryKey) ?? []
  const take = async (file: File) => {
    setFitting(false)
    const looked = await lookAt(file)
    const problems = misfits(looked, await client.ensureQueryData(adSizesQuery))
    setMisfit(problems.length > 0 ? { file, looked, problems } : null)
    if (problems.length > 0) return
    try {
      onUploaded((await api.uploadCreative({ cuid, body: file })).creativeURL)
    } catch (error) {
      onError(error)
    }
  }
  return (
    <>
      <Drop single onFiles={([file]) => file && take(file)} />
      {misfit && (
        <Alert color="red" icon={<Icon name="warning" />} role="alert" title={misfit.file.name}>
          {misfit.problems.map(problem => (
            <Text key={problem} size="sm">
              {problem}
            </Text>
          ))}
          {canBeMended(misfit.looked) && (
            <Button size="xs" variant="default" mt="xs" onClick={() => setFitting(true)}>
              {t('fit.open')}
            </Button>
          )}
        </Alert>
      )}
      {misfit && fitting && (
        <FitDialog
          file={misfit.file}
          looked={misfit.looked}
          sizes={sizes}
          onClose={() => setFitting(false)}
          onUse={take}
        />
      )}
    </>
  )
}
