// The people who work for the app, for its admins: invite, change the role, remove; and who changed what about them.

import { Badge, Button, Group, Stack } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { StaffChange, StaffMember } from '../../src/identity/staff/contract.ts'
import { STAFF_ROLES } from '../../src/identity/staff/contract.ts'
import { api } from '../api/client.ts'
import { Dialog } from '../form/dialog.tsx'
import { NewPerson } from '../form/new-person.tsx'
import { PersonName } from '../form/person-name.tsx'
import { RemovePerson } from '../form/remove-person.tsx'
import { ResetPasskeys } from '../form/reset-passkeys.tsx'
import { RoleChoice } from '../form/role-choice.tsx'
import { ChangeLog } from '../format/change-log.tsx'
import { date } from '../format/format.ts'
import { whoDid } from '../format/who-did.ts'
import { useZone } from '../period/use-period.ts'
import { Icon } from '../shell/icon.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { type SmallColumn, SmallTable } from '../table/small-table.tsx'
import { named, t } from '../words/words.ts'

const staffQuery = queryOptions({ queryKey: ['staff'], queryFn: () => api.listStaff({}) })
const historyQuery = queryOptions({
  queryKey: ['staff', 'history'],
  queryFn: () => api.readStaffHistory({}),
})

export function StaffPage() {
  const staff = useQuery(staffQuery)
  const client = useQueryClient()
  const anew = () => client.invalidateQueries({ queryKey: ['staff'] })
  const [asking, setAsking] = useState(false)
  return (
    <>
      <PageHead title={t('staff.title')}>
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAsking(true)}>
          {t('members.invite')}
        </Button>
      </PageHead>
      {staff.isPending && <Waiting height={240} />}
      {staff.error && <Refused error={staff.error} onRetry={() => staff.refetch()} />}
      {staff.data?.length === 0 && (
        <Nothing icon="customers" title={t('staff.none')} about={t('staff.noneAbout')} />
      )}
      <Stack>
        {staff.data && staff.data.length > 0 && <People people={staff.data} onChanged={anew} />}
        {staff.data && <ChangeLog query={historyQuery} sentenceOf={sentenceOf} />}
      </Stack>
      <Dialog opened={asking} title={t('members.invite')} onClose={() => setAsking(false)}>
        <NewPerson
          roles={STAFF_ROLES}
          words="staff"
          add={(body, options) => api.addStaff({ body }, options)}
          onAdded={anew}
          onClose={() => setAsking(false)}
        />
      </Dialog>
    </>
  )
}

function People({ people, onChanged }: { people: readonly StaffMember[]; onChanged: () => void }) {
  const timezone = useZone()
  const columns: SmallColumn<StaffMember>[] = [
    { title: t('members.person'), cell: person => <PersonName {...person} /> },
    {
      title: t('members.role'),
      cell: ({ sid, email, name, role }) => (
        <RoleChoice
          name={name ?? email}
          role={role}
          roles={STAFF_ROLES}
          words="staff"
          change={next => api.editStaff({ sid, body: { role: next } })}
          onChanged={onChanged}
        />
      ),
    },
    {
      title: t('members.joined'),
      cell: ({ joined }) =>
        joined === null ? <Badge variant="light">{t('members.notYet')}</Badge> : date(joined, timezone),
    },
    {
      title: t('members.manage'),
      cell: ({ sid, email, name }) => (
        <Group gap="xs">
          <RemovePerson
            name={name ?? email}
            about={t('staff.removeAbout')}
            remove={() => api.removeStaff({ sid })}
            onRemoved={onChanged}
          />
          <ResetPasskeys
            name={name ?? email}
            reset={() => api.resetStaffPasskeys({ sid })}
            onReset={onChanged}
          />
        </Group>
      ),
    },
  ]
  return (
    <Panel title={t('members.title')} about={t('staff.about')}>
      <SmallTable
        label={t('staff.title')}
        columns={columns}
        rows={people}
        idOf={({ sid }) => sid}
        leastPx={600}
      />
    </Panel>
  )
}

type Seen = NonNullable<StaffChange['after']>
const nameOf = ({ name, email }: Seen) => (name === null ? email : `${name} (${email})`)

function sentenceOf({ action, by, before, after }: StaffChange): string {
  const seen = (after ?? before)!
  const who = whoDid(by, { customer: null })
  const isRenamed = action === 'edit' && before?.role === after?.role
  return t(isRenamed ? 'staff.rename' : `staff.${action}`, {
    who,
    name: nameOf(seen),
    before: before ? nameOf(before) : '',
    role: named('staff.role', seen.role),
  })
}
