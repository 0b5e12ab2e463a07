// Whom to invite, and with which role.

import { Radio, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { keyOf } from '../api/client.ts'
import { useNotice } from '../shell/notice.tsx'
import { named, t } from '../words/words.ts'
import { CreateForm, useDirty } from './create-form.tsx'
import { useFieldErrors } from './field-errors.ts'

interface NewPersonInput<Role> {
  email: string
  name: string | null
  role: Role
}

interface NewPersonProps<Role> {
  /** The role with the fewest rights comes first. */
  roles: readonly [Role, ...Role[]]
  /** The prefix of the words for roles: `members` or `staff`. */
  words: string
  add: (body: NewPersonInput<Role>, options: { idempotencyKey: string }) => Promise<{ email: string }>
  onAdded: () => void
  onClose: () => void
}

export function NewPerson<Role extends string>(props: NewPersonProps<Role>) {
  const { roles, words, add, onAdded, onClose } = props
  const [draft, setDraft] = useState({ email: '', name: '', role: roles[0] })
  const { email, name, role } = draft
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change })
  const body = { email: email.trim(), name: name.trim() || null, role }
  const errors = useFieldErrors(body)
  const notice = useNotice()
  const create = async (formKey: string) => {
    const added = await add(body, { idempotencyKey: keyOf(formKey, body) })
    notice.done(t('members.invited', { email: added.email }))
    onAdded()
    onClose()
  }
  return (
    <CreateForm
      action={t('members.send')}
      errors={errors}
      dirty={useDirty(draft)}
      create={create}
      onCancel={onClose}
    >
      <TextInput
        label={t('members.email')}
        type="email"
        withAsterisk
        data-autofocus
        value={email}
        error={errors.at('/email')}
        onChange={event => set({ email: event.currentTarget.value })}
      />
      <TextInput
        label={t('members.name')}
        maxLength={255}
        value={name}
        error={errors.at('/name')}
        onChange={event => set({ name: event.currentTarget.value })}
      />
      <Radio.Group label={t('members.role')} value={role} onChange={value => set({ role: value as Role })}>
        <Stack gap="xs" mt="xs">
          {roles.map(value => (
            <Radio
              key={value}
              value={value}
              label={named(`${words}.role`, value)}
              description={named(`${words}.may`, value)}
            />
          ))}
        </Stack>
      </Radio.Group>
    </CreateForm>
  )
}
