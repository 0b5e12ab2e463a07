// The people who work for the customer: invite, change the role, remove. Readers without that right only see the list.

import { Badge, Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Member, ROLES, type Role } from '../../src/manage/customers/members/contract.ts'
import { api, newIdempotencyKey } from '../api/client.ts'
import { Dialog } from '../form/dialog.tsx'
import { NewPerson } from '../form/new-person.tsx'
import { useOnce } from '../form/once.ts'
import { PersonName } from '../form/person-name.tsx'
import { RemovePerson } from '../form/remove-person.tsx'
import { ResetPasskeys } from '../form/reset-passkeys.tsx'
import { RoleChoice } from '../form/role-choice.tsx'
import { date } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { useSession } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { type SmallColumn, SmallTable } from '../table/small-table.tsx'
import { named, t } from '../words/words.ts'

export function Members({ cuid }: { cuid: number }) {
  const timezone = useZone()
  const client = useQueryClient()
  const { rights: mayChange } = useMay()
  const queryKey = ['members', cuid]
  const members = useQuery({ queryKey, queryFn: () => api.listMembers({ cuid }) })
  const anew = () => client.invalidateQueries({ queryKey })
  const [asking, setAsking] = useState(false)
  return (
    <Panel
      title={t('members.title')}
      about={t('members.about')}
      actions={
        mayChange && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAsking(true)}>
            {t('members.invite')}
          </Button>
        )
      }
    >
      {members.isPending && <Waiting height={120} />}
      {members.error && <Refused error={members.error} onRetry={() => members.refetch()} />}
      {members.data && (
        <SmallTable
          label={t('members.title')}
          columns={columnsOf({ cuid, timezone, mayChange, anew })}
          rows={members.data}
          idOf={({ mid }) => mid}
          leastPx={640}
        />
      )}
      <Dialog opened={asking} title={t('members.invite')} onClose={() => setAsking(false)}>
        <NewPerson
          roles={ROLES}
          words="members"
          add={(body, options) => api.addMember({ cuid, body }, options)}
          onAdded={anew}
          onClose={() => setAsking(false)}
        />
      </Dialog>
    </Panel>
  )
}

interface ListProps {
  cuid: number
  timezone: string
  mayChange: boolean
  anew: () => void
}

function columnsOf({ cuid, timezone, mayChange, anew }: ListProps): SmallColumn<Member>[] {
  const columns: SmallColumn<Member>[] = [
    { title: t('members.person'), cell: member => <PersonName {...member} /> },
    {
      title: t('members.role'),
      cell: ({ mid, email, name, role, first }) =>
        mayChange && !first ? (
          <RoleChoice
            name={name ?? email}
            role={role}
            roles={ROLES}
            words="members"
            change={next => changeRole(cuid, mid, next)}
            onChanged={anew}
          />
        ) : (
          named('members.role', role)
        ),
    },
    {
      title: t('members.joined'),
      cell: member =>
        member.joined !== null
          ? date(member.joined, timezone)
          : !member.first && <Invited cuid={cuid} member={member} mayChange={mayChange} onSent={anew} />,
    },
  ]
  if (mayChange)
    columns.push({ title: t('members.manage'), cell: member => <Manage {...{ cuid, member, anew }} /> })
  return columns
}

/** Ceilings would not bind an owner, who could create a pair without any. */
function changeRole(cuid: number, mid: number, role: Role) {
  return api.editMember({ cuid, mid, body: { role, ...(role === 'owner' ? { ceilings: null } : {}) } })
}

function Manage({ cuid, member, anew }: RowProps & { anew: () => void }) {
  const { staff } = useSession()
  const { mid, email, name, first, joined } = member
  const mayReset = staff && joined !== null
  if (first && !mayReset) return null
  return (
    <Group gap="xs">
      {!first && (
        <RemovePerson
          name={name ?? email}
          about={t('members.removeAbout')}
          remove={() => api.removeMember({ cuid, mid })}
          onRemoved={anew}
        />
      )}
      {mayReset && <ResetPasskeys name={name ?? email} reset={() => api.resetPasskeys({ cuid, mid })} />}
    </Group>
  )
}

interface RowProps {
  cuid: number
  member: Member
}

/** For a person who has not signed in yet: their link may be lost or expired. */
function Invited({ cuid, member, mayChange, onSent }: RowProps & { mayChange: boolean; onSent: () => void }) {
  const notice = useNotice()
  const timezone = useZone()
  const { email, name, mid, invitedUntil } = member
  const inviting = useMutation({
    mutationFn: () => api.inviteMember({ cuid, mid }, { idempotencyKey: newIdempotencyKey() }),
    onSuccess: () => {
      notice.done(t('members.invited', { email }))
      onSent()
    },
    onError: notice.refused,
  })
  const send = useOnce(inviting.isPending, () => inviting.mutate())
  return (
    <Group gap="xs">
      <Badge variant="light">{t('members.notYet')}</Badge>
      {invitedUntil !== null && (
        <Text size="xs" c="dimmed">
          {t('members.linkUntil', { day: date(invitedUntil, timezone) })}
        </Text>
      )}
      {mayChange && (
        <Button
          size="xs"
          variant="default"
          loading={inviting.isPending}
          aria-label={t('members.againNamed', { name: name ?? email })}
          onClick={send}
        >
          {t('members.again')}
        </Button>
      )}
    </Group>
  )
}
