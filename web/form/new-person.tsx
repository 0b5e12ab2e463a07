// Whom to invite, and with which role.

import { Button, Group, Radio, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { named, t } from '../words/words.ts'
import { useOnce } from './once.ts'

export interface NewPersonInput<Role> {
  email: string
  name: string | null
  role: Role
}

interface NewPersonProps<Role> {
  /** The role with the fewest rights comes first. */
  roles: readonly [Role, ...Role[]]
  /** The prefix of the words for roles: `members` or `staff`. */
  words: string
  busy: boolean
  onAdd: (body: NewPersonInput<Role>) => void
}

export function NewPerson<Role extends string>({ roles, words, busy, onAdd }: NewPersonProps<Role>) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>(roles[0])
  const add = useOnce(busy, () => onAdd({ email: email.trim(), name: name.trim() || null, role }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('members.email')}
          type="email"
          required
          data-autofocus
          value={email}
          onChange={event => setEmail(event.currentTarget.value)}
        />
        <TextInput
          label={t('members.name')}
          maxLength={255}
          value={name}
          onChange={event => setName(event.currentTarget.value)}
        />
        <Radio.Group label={t('members.role')} value={role} onChange={value => setRole(value as Role)}>
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
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            {t('members.send')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
