// The people who work for the customer: invite, change the role, remove. Those who may not do that see the list.

import { Badge, Button, Group, Radio, Select, Stack, Table, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Member, ROLES, type Role } from '../../src/customers/members/contract.ts'
import { api, newIdempotencyKey } from '../api/client.ts'
import { Confirm } from '../form/confirm.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useOnce } from '../form/once.ts'
import { date } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'

interface NewMemberInput {
  email: string
  name: string | null
  role: Role
}

export function Members({ cuid }: { cuid: number }) {
  const timezone = useZone()
  const client = useQueryClient()
  const notice = useNotice()
  const { rights: mayChange } = useMay()
  const queryKey = ['members', cuid]
  const members = useQuery({ queryKey, queryFn: () => api.listMembers({ cuid }) })
  const anew = () => client.invalidateQueries({ queryKey })
  const [asking, setAsking] = useState(false)
  const adding = useMutation({
    mutationFn: (body: NewMemberInput) =>
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
                {mayChange && <Table.Th>{t('members.remove')}</Table.Th>}
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
                      <RoleChoice cuid={cuid} member={member} onChanged={anew} />
                    ) : (
                      named('members.role', member.role)
                    )}
                  </Table.Td>
                  <Table.Td>
                    {member.joined !== null && date(member.joined, timezone)}
                    {member.joined === null && !member.first && (
                      <Badge variant="light">{t('members.notYet')}</Badge>
                    )}
                  </Table.Td>
                  {mayChange && (
                    <Table.Td>
                      {!member.first && <Remove cuid={cuid} member={member} onRemoved={anew} />}
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Dialog opened={asking} title={t('members.invite')} onClose={() => setAsking(false)}>
        <NewMember busy={adding.isPending} onAdd={body => adding.mutate(body)} />
      </Dialog>
    </Panel>
  )
}

interface RowProps {
  cuid: number
  member: Member
}

function RoleChoice({ cuid, member, onChanged }: RowProps & { onChanged: () => void }) {
  const notice = useNotice()
  const changing = useMutation({
    mutationFn: (role: Role) =>
      api.editMember({
        cuid,
        mid: member.mid,
        body: { role, ...(role === 'owner' ? { ceilings: null } : {}) },
      }),
    onSuccess: onChanged,
    onError: notice.refused,
  })
  return (
    <Select
      size="xs"
      w={150}
      allowDeselect={false}
      aria-label={t('members.roleOf', { name: member.name ?? member.email })}
      value={changing.isPending ? changing.variables : member.role}
      disabled={changing.isPending}
      data={ROLES.map(role => ({ value: role, label: named('members.role', role) }))}
      onChange={role => role !== null && role !== member.role && changing.mutate(role as Role)}
    />
  )
}

function Remove({ cuid, member, onRemoved }: RowProps & { onRemoved: () => void }) {
  const [asking, setAsking] = useState(false)
  const name = member.name ?? member.email
  const removing = useMutation({
    mutationFn: () => api.removeMember({ cuid, mid: member.mid }),
    onSuccess: () => {
      setAsking(false)
      onRemoved()
    },
  })
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={t('members.removeNamed', { name })}
        onClick={() => setAsking(true)}
      >
        {t('members.remove')}
      </Button>
      <Confirm
        opened={asking}
        title={t('members.removeTitle', { name })}
        about={t('members.removeAbout')}
        action={t('members.remove')}
        busy={removing.isPending}
        error={removing.error}
        onConfirm={() => removing.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}

/** Whom, and how much they may do. */
function NewMember({ busy, onAdd }: { busy: boolean; onAdd: (body: NewMemberInput) => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
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
            {ROLES.map(value => (
              <Radio
                key={value}
                value={value}
                label={named('members.role', value)}
                description={named('members.may', value)}
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
