// How the console of the app looks to its customers: name, colour and logo. The frame around the page shows changes at
// once.

import { Button, FileButton, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useMemo, useState } from 'react'
import { api, imageUrl } from '../api/client.ts'
import { ColourField } from '../form/colour-field.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { useUnsaved } from '../form/unsaved.ts'
import { sessionQuery, useSession } from '../session/session.ts'
import { BrandMark } from '../shell/brand-mark.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { DEFAULT_COLOUR } from '../shell/palette.ts'
import { Panel } from '../shell/panel.tsx'
import { t } from '../words/words.ts'
import { BrandPreview } from './brand-preview.tsx'

const TYPES = 'image/png,image/jpeg,image/webp,image/gif'

interface Draft {
  title: string
  color: string
  /** Undefined: unchanged; null: no logo. */
  logo: File | null | undefined
}

export function BrandPage() {
  const { brand } = useSession()
  const first = { title: brand.title, color: brand.color ?? DEFAULT_COLOUR, logo: undefined }
  const [draft, setDraft] = useState<Draft>(first)
  const [busy, setBusy] = useState(false)
  const client = useQueryClient()
  const errors = useFieldErrors({ ...draft, logo: draft.logo?.name })
  const notice = useNotice()
  const dirty = draft.title !== first.title || draft.color !== first.color || draft.logo !== undefined
  useUnsaved(dirty)
  const chosen = useMemo(() => (draft.logo ? URL.createObjectURL(draft.logo) : null), [draft.logo])
  useEffect(() => () => (chosen === null ? undefined : URL.revokeObjectURL(chosen)), [chosen])
  const logo = chosen ?? (draft.logo === null ? null : brand.logo && imageUrl(brand.logo))
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    errors.clear()
    try {
      const { title, color, logo } = draft
      const body = {
        ...(title === first.title ? {} : { title: title.trim() === '' ? null : title }),
        ...(color === first.color ? {} : { color: color === '' ? null : color }),
        ...(logo === undefined ? {} : { logo: logo && (await base64Of(logo)) }),
      }
      const session = await api.editBrand({ body })
      client.setQueryData(sessionQuery.queryKey, session)
      const { brand: saved } = session
      setDraft({ title: saved.title, color: saved.color ?? DEFAULT_COLOUR, logo: undefined })
      notice.done(t('form.saved'))
    } catch (error) {
      errors.take(error)
    }
    setBusy(false)
  }
  return (
    <>
      <PageHead title={t('brand.title')} />
      <Panel title={t('brand.look')} about={t('brand.about')}>
        <form onSubmit={save} noValidate>
          <div className="brand-form">
            <Stack maw={480}>
              <FormProblem errors={errors} />
              <TextInput
                label={t('brand.name')}
                value={draft.title}
                error={errors.at('/title')}
                onChange={event => set({ title: event.currentTarget.value })}
              />
              <ColourField
                label={t('brand.colour')}
                value={draft.color}
                error={errors.at('/color')}
                onChange={color => set({ color })}
              />
              <div>
                <Text size="sm" mb={6}>
                  {t('brand.logo')}
                </Text>
                <Group>
                  <BrandMark brand={draft.logo === null ? { ...brand, logo: null } : brand} />
                  <FileButton accept={TYPES} onChange={logo => logo && set({ logo })}>
                    {props => (
                      <Button variant="default" size="xs" {...props}>
                        {draft.logo ? draft.logo.name : t('brand.choose')}
                      </Button>
                    )}
                  </FileButton>
                  {brand.logo && draft.logo !== null && (
                    <Button variant="default" size="xs" onClick={() => set({ logo: null })}>
                      {t('brand.noLogo')}
                    </Button>
                  )}
                </Group>
                {errors.at('/logo') && (
                  <Text size="xs" c="var(--mantine-color-error)" mt={4}>
                    {errors.at('/logo')}
                  </Text>
                )}
              </div>
              <Group>
                <Button type="submit" loading={busy} disabled={!dirty}>
                  {t('form.save')}
                </Button>
              </Group>
            </Stack>
            <BrandPreview title={draft.title.trim() || brand.title} colour={draft.color} logo={logo} />
          </div>
        </form>
      </Panel>
    </>
  )
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
