// A person's role, changed in its row.

import { Select } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNotice } from '../shell/notice.tsx'
import { named, t } from '../words/words.ts'

interface RoleChoiceProps<Role> {
  /** The name of the person. */
  name: string
  role: Role
  roles: readonly Role[]
  /** The prefix of the words for roles: `members` or `staff`. */
  words: string
  change: (role: Role) => Promise<unknown>
  onChanged: () => void
}

export function RoleChoice<Role extends string>(props: RoleChoiceProps<Role>) {
  const { name, role, roles, words, change, onChanged } = props
  const notice = useNotice()
  const changing = useMutation({ mutationFn: change, onSuccess: onChanged, onError: notice.refused })
  return (
    <Select
      size="xs"
      w={150}
      allowDeselect={false}
      aria-label={t('members.roleOf', { name })}
      value={changing.isPending ? changing.variables : role}
      disabled={changing.isPending}
      data={roles.map(value => ({ value, label: named(`${words}.role`, value) }))}
      onChange={next => next !== null && next !== role && changing.mutate(next as Role)}
    />
  )
}
