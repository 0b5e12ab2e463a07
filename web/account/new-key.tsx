// The form of a new key: what it is for, how much it may do, in which campaigns, until when, and up to which amounts. Its
// token is shown here once and never again.

import { Fieldset, MultiSelect, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type CreatedCredential,
  type NewCredential,
  SCOPES,
  type Scope,
} from '../../src/manage/customers/credentials/contract.ts'
import { api, keyOf } from '../api/client.ts'
import { useCampaigns } from '../campaigns/data.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { numberToSend } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { Secret, ShownOnce } from '../form/shown-once.tsx'
import { WallTime } from '../form/wall-time.tsx'
import { useZone } from '../period/use-period.ts'
import { nowMs } from '../sandbox/clock.ts'
import { named, t } from '../words/words.ts'
import { CEILINGS, type Ceiling, ceilingProblem, decimalsOf, signOf, writeCeiling } from './key-ceilings.ts'

interface NewKeyProps {
  cuid: number
  opened: boolean
  onClose: () => void
}

export function NewKey({ cuid, opened, onClose }: NewKeyProps) {
  const [pair, setPair] = useState<CreatedCredential | null>(null)
  const close = () => {
    onClose()
    setPair(null)
  }
  return (
    <Dialog opened={opened} onClose={close} size="lg" title={t('keys.make')} locked={pair !== null}>
      {pair ? (
        <ShownOnce count={2} onClose={close}>
          <Secret label={t('customers.key')} value={pair.key} />
          <Secret label={t('customers.token')} value={pair.token} />
        </ShownOnce>
      ) : (
        <Form cuid={cuid} onCreated={setPair} onClose={close} />
      )}
    </Dialog>
  )
}

interface Draft {
  name: string
  scope: Scope
  cids: string[]
  /** Unix seconds; null: for as long as keys last. */
  expires: number | null
  ceilings: Record<Ceiling, string>
}

const NO_CEILINGS = Object.fromEntries(CEILINGS.map(ceiling => [ceiling, ''])) as Draft['ceilings']
const EMPTY: Draft = { name: '', scope: 'all', cids: [], expires: null, ceilings: NO_CEILINGS }

/** A key that may do everything cannot be limited to campaigns: it could create another key for itself. */
const maySelect = ({ scope }: Draft) => scope !== 'all'
/** A key that may only read has nothing to limit, and one with all rights could create another key for itself. */
const hasCeilings = ({ scope }: Draft) => scope !== 'read' && scope !== 'all'

function bodyOf(draft: Draft): NewCredential {
  const { name, scope, cids, expires, ceilings } = draft
  const set = CEILINGS.flatMap(ceiling => {
    const value = numberToSend(ceilings[ceiling], decimalsOf(ceiling))
    return value === null ? [] : [[ceiling, value] as const]
  })
  return {
    name: name.trim() || null,
    scope,
    cids: maySelect(draft) && cids.length > 0 ? cids.map(Number) : null,
    expires,
    ceilings: hasCeilings(draft) && set.length > 0 ? Object.fromEntries(set) : null,
  }
}

interface FormProps {
  cuid: number
  onCreated: (pair: CreatedCredential) => void
  onClose: () => void
}

function Form({ cuid, onCreated, onClose }: FormProps) {
  const [draft, setDraft] = useState(EMPTY)
  const set = (change: Partial<Draft>) => setDraft(before => ({ ...before, ...change }))
  const errors = useFieldErrors(bodyOf(draft))
  const timeZone = useZone()
  const client = useQueryClient()
  const create = async (formKey: string) => {
    const body = bodyOf(draft)
    const created = await api.createCredential({ cuid, body }, { idempotencyKey: keyOf(formKey, body) })
    client.invalidateQueries({ queryKey: ['credentials', cuid] })
    onCreated(created)
  }
  // The service's message gives the limit in seconds, so the console uses its own words.
  const isLate = draft.expires !== null && draft.expires * 1000 > nowMs()
  const expiresError = errors.at('/expires') && (isLate ? t('keys.tooLate') : errors.at('/expires'))
  return (
    <CreateForm
      action={t('keys.create')}
      errors={errors}
      dirty={useDirty(draft)}
      create={create}
      onCancel={onClose}
    >
      <TextInput
        label={t('keys.name')}
        description={t('keys.nameAbout')}
        data-autofocus
        maxLength={100}
        value={draft.name}
        error={errors.at('/name')}
        onChange={event => set({ name: event.currentTarget.value })}
      />
      <Radio.Group
        label={t('keys.scope')}
        value={draft.scope}
        error={errors.at('/scope')}
        onChange={scope => set({ scope: scope as Scope })}
      >
        <Stack gap="xs" mt="xs">
          {SCOPES.map(value => (
            <Radio key={value} value={value} label={named('keys.scope', value)} />
          ))}
        </Stack>
      </Radio.Group>
      {maySelect(draft) && (
        <Campaigns
          cuid={cuid}
          value={draft.cids}
          error={errors.at('/cids')}
          onChange={cids => set({ cids })}
        />
      )}
      <WallTime
        label={t('keys.expires')}
        description={t('keys.expiresAbout')}
        timeZone={timeZone}
        value={draft.expires}
        error={expiresError}
        onChange={expires => set({ expires })}
      />
      {hasCeilings(draft) && (
        <Fieldset legend={t('keys.ceilings')}>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {CEILINGS.map(ceiling => (
              <NumberField
                key={ceiling}
                label={named('keys.ceiling', ceiling)}
                decimals={decimalsOf(ceiling)}
                sign={signOf(ceiling)}
                show={value => writeCeiling(ceiling, value)}
                check={value => ceilingProblem(ceiling, value)}
                value={draft.ceilings[ceiling]}
                error={errors.at(`/ceilings/${ceiling}`)}
                onChange={typed => set({ ceilings: { ...draft.ceilings, [ceiling]: typed } })}
              />
            ))}
          </SimpleGrid>
        </Fieldset>
      )}
    </CreateForm>
  )
}

interface CampaignsProps {
  cuid: number
  value: string[]
  error: string | undefined
  onChange: (cids: string[]) => void
}

function Campaigns({ cuid, value, error, onChange }: CampaignsProps) {
  const campaigns = useCampaigns(cuid)
  const data = (campaigns.data ?? []).map(({ cid, name }) => ({
    value: String(cid),
    label: `${name} (${cid})`,
  }))
  return (
    <MultiSelect
      label={t('keys.campaigns')}
      description={t('keys.campaignsAbout')}
      data={data}
      limit={50}
      searchable
      hidePickedOptions
      value={value}
      error={error}
      onChange={onChange}
    />
  )
}
