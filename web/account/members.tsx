// The people who work for the customer: invite, change the role, remove. Those who may not do that see the list.

import { Badge, Button, Group, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Member, ROLES, type Role } from '../../src/customers/members/contract.ts'
import { api, newIdempotencyKey } from '../api/client.ts'
import { Dialog } from '../form/dialog.tsx'
import { NewPerson, type NewPersonInput } from '../form/new-person.tsx'
import { useOnce } from '../form/once.ts'
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
import { named, t } from '../words/words.ts'

export function Members({ cuid }: { cuid: number }) {
  const timezone = useZone()
  const client = useQueryClient()
  const notice = useNotice()
  const { rights: mayChange } = useMay()
  const { staff } = useSession()
  const queryKey = ['members', cuid]
  const members = useQuery({ queryKey, queryFn: () => api.listMembers({ cuid }) })
  const anew = () => client.invalidateQueries({ queryKey })
  const [asking, setAsking] = useState(false)
  const adding = useMutation({
    mutationFn: (body: NewPersonInput<Role>) =>
      api.addMember({ cuid, body }, { idempotencyKey: newIdempotencyKey() }),
    onSuccess: ({ email }) => {
      setAsking(false)
      notice.done(t('members.invited', { email }))
      return anew()
    },
    onError: notice.refused,
  })
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
        <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label={t('members.title')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('members.person')}</Table.Th>
                <Table.Th>{t('members.role')}</Table.Th>
                <Table.Th>{t('members.joined')}</Table.Th>
                {mayChange && <Table.Th>{t('members.manage')}</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {members.data.map(member => (
                <Table.Tr key={member.mid}>
                  <Table.Td>
                    <Text size="sm" fw={600}>
                      {member.name ?? member.email}
                    </Text>
                    {member.name !== null && (
                      <Text size="xs" c="dimmed">
                        {member.email}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>
                    {mayChange && !member.first ? (
                      <RoleChoice
                        name={member.name ?? member.email}
                        role={member.role}
                        roles={ROLES}
                        words="members"
                        change={role => changeRole(cuid, member.mid, role)}
                        onChanged={anew}
                      />
                    ) : (
                      named('members.role', member.role)
                    )}
                  </Table.Td>
                  <Table.Td>
                    {member.joined !== null && date(member.joined, timezone)}
                    {member.joined === null && !member.first && (
                      <Invited cuid={cuid} member={member} mayChange={mayChange} onSent={anew} />
                    )}
                  </Table.Td>
                  {mayChange && (
                    <Table.Td>
                      <Group gap="xs">
                        {!member.first && (
                          <RemovePerson
                            name={member.name ?? member.email}
                            about={t('members.removeAbout')}
                            remove={() => api.removeMember({ cuid, mid: member.mid })}
                            onRemoved={anew}
                          />
                        )}
                        {staff && member.joined !== null && (
                          <ResetPasskeys
                            name={member.name ?? member.email}
                            reset={() => api.resetPasskeys({ cuid, mid: member.mid })}
                          />
                        )}
                      </Group>
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Dialog opened={asking} title={t('members.invite')} onClose={() => setAsking(false)}>
        <NewPerson
          roles={ROLES}
          words="members"
          busy={adding.isPending}
          onAdd={body => adding.mutate(body)}
        />
      </Dialog>
    </Panel>
  )
}

/** An owner could make a pair without ceilings. */
function changeRole(cuid: number, mid: number, role: Role) {
  return api.editMember({ cuid, mid, body: { role, ...(role === 'owner' ? { ceilings: null } : {}) } })
}

interface RowProps {
  cuid: number
  member: Member
}

/** They have not signed in yet: the link may be lost, or over. */
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
