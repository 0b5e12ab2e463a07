// The fields of a publisher, for adding and editing.

import { SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useId } from 'react'
import type { NewSource } from '../../src/manage/sources/contract.ts'
import type { FieldErrors } from '../form/field-errors.ts'
import { t } from '../words/words.ts'
import { PlacesFields, placesBodyOf } from './attribute-places.tsx'
import type { SeenSource } from './data.ts'
import { NO_TERMS, type TermsDraft, TermsFields, termsBodyOf, termsDraftOf } from './terms-fields.tsx'

export type SourceDraft = Pick<SeenSource, 'kind' | 'name' | 'billsOn' | 'allowsCpc' | 'attributes'> & {
  domain: string
  terms: TermsDraft
}

export const NEW_SOURCE: SourceDraft = {
  kind: 'site',
  name: '',
  domain: '',
  billsOn: 'notice',
  allowsCpc: false,
  attributes: {},
  terms: NO_TERMS,
}

export function sourceDraftOf(source: SeenSource): SourceDraft {
  const { kind, name, domain, billsOn, allowsCpc, attributes } = source
  return { kind, name, domain: domain ?? '', billsOn, allowsCpc, attributes, terms: termsDraftOf(source) }
}

/** Only the fields of its kind. */
export function sourceBodyOf(draft: SourceDraft): NewSource {
  const { kind, name, domain, billsOn, allowsCpc, attributes, terms } = draft
  const asked = { ...termsBodyOf(terms), attributes: placesBodyOf(attributes) }
  return kind === 'site'
    ? { kind, name, domain: domain.trim(), ...asked }
    : { kind, name, billsOn, allowsCpc, ...asked }
}

interface SourceFieldsProps {
  draft: SourceDraft
  errors: FieldErrors
  onChange: (draft: SourceDraft) => void
}

export function SourceFields({ draft, errors, onChange }: SourceFieldsProps) {
  const set = (change: Partial<SourceDraft>) => onChange({ ...draft, ...change })
  const billsId = useId()
  return (
    <Stack gap="md">
      <TextInput
        label={t('sources.name')}
        autoComplete="off"
        withAsterisk
        value={draft.name}
        error={errors.at('/name')}
        onChange={event => set({ name: event.currentTarget.value })}
      />
      {draft.kind === 'site' ? (
        <TextInput
          label={t('sources.domain')}
          description={t('sources.domainAbout')}
          autoComplete="off"
          inputMode="url"
          withAsterisk
          value={draft.domain}
          error={errors.at('/domain')}
          onChange={event => set({ domain: event.currentTarget.value })}
        />
      ) : (
        <>
          <div>
            <Text size="sm" fw="var(--strong)" id={billsId} mb={4}>
              {t('sources.billsOn')}
            </Text>
            <SegmentedControl
              aria-labelledby={billsId}
              value={draft.billsOn}
              data={[
                { value: 'notice', label: t('sources.billsOnNotice') },
                { value: 'pixel', label: t('sources.billsOnPixel') },
              ]}
              onChange={billsOn => set({ billsOn: billsOn as SourceDraft['billsOn'] })}
            />
          </div>
          <Switch
            label={t('sources.allowsCpc')}
            description={t('sources.allowsCpcAbout')}
            checked={draft.allowsCpc}
            onChange={event => set({ allowsCpc: event.currentTarget.checked })}
          />
        </>
      )}
      <TermsFields draft={draft.terms} errors={errors} onChange={terms => set({ terms })} />
      <PlacesFields value={draft.attributes} errors={errors} onChange={attributes => set({ attributes })} />
    </Stack>
  )
}
