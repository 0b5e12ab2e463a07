// The attributes that the app has declared, for its staff, and who changed what of them. Admins declare, change and
// delete them: a name opens its form.

import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { AttributeChange } from '../../src/manage/attributes/contract.ts'
import { ChangeLog } from '../format/change-log.tsx'
import { whoDid } from '../format/who-did.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import type { Column } from '../table/column.ts'
import { ListPanel } from '../table/list-panel.tsx'
import { named, t } from '../words/words.ts'
import { AttributeDialog } from './attribute-dialog.tsx'
import { type Attribute, attributeChangesQuery, attributesQuery } from './data.ts'
import { RemoveAttribute } from './remove-attribute.tsx'

const nameOf = (row: Attribute) => row.label
const textOf = ({ label, key, choices }: Attribute) =>
  [label, key, ...choices.map(choice => choice.label)].join(' ')

export function AttributesPage() {
  const attributes = useQuery(attributesQuery)
  const { rights } = useMay()
  /** Null: a new one. */
  const [editing, setEditing] = useState<Attribute | null | undefined>(undefined)
  const onEdit = rights ? setEditing : null
  const columns = useMemo(() => columnsOf(rights ? setEditing : null), [rights])
  const rows = attributes.data ?? []
  return (
    <>
      <PageHead title={t('personas.attributes')}>
        {rights && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setEditing(null)}>
            {t('attributes.new')}
          </Button>
        )}
      </PageHead>
      <Text size="sm" c="dimmed" mb="md">
        {t('attributes.about')}
      </Text>
      {attributes.isPending && <Waiting height={300} />}
      {attributes.error && <Refused error={attributes.error} onRetry={() => attributes.refetch()} />}
      {attributes.data && (
        <ListPanel
          id="attributes"
          label={t('personas.attributes')}
          rows={rows}
          columns={columns}
          // Attributes have keys; a table wants numbers.
          idOf={row => rows.indexOf(row) + 1}
          withoutIds
          nameOf={nameOf}
          textOf={textOf}
          sorting={{ column: 'name', descending: false }}
          fileName={t('attributes.file')}
          card={attribute => <Card attribute={attribute} onEdit={onEdit} />}
          empty={<Nothing icon="columns" title={t('attributes.none')} about={t('attributes.noneAbout')} />}
        />
      )}
      {rights && attributes.data && <ChangeLog query={attributeChangesQuery} sentenceOf={sentenceOf} />}
      {editing !== undefined && (
        <AttributeDialog
          editing={editing}
          keys={rows.map(row => row.key)}
          onClose={() => setEditing(undefined)}
        />
      )}
    </>
  )
}

type OnEdit = ((attribute: Attribute) => void) | null

function Name({ attribute, onEdit }: { attribute: Attribute; onEdit: OnEdit }) {
  const { label: name } = attribute
  if (onEdit === null) return name
  return (
    <Button
      variant="transparent"
      size="compact-sm"
      p={0}
      aria-label={t('lists.editNamed', { name })}
      onClick={() => onEdit(attribute)}
    >
      {name}
    </Button>
  )
}

const yesOrNo = (is: boolean) => t(is ? 'table.yes' : 'table.no')

const MOST_SHOWN = 120
/** There may be a thousand values; the CSV has them all. */
const shortened = (text: string) => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text)

const TEXTS = [
  { id: 'key', title: 'lists.key', read: (row: Attribute) => row.key, width: 140 },
  {
    id: 'kind',
    title: 'attributes.kind',
    read: (row: Attribute) => named('attributes.short', row.kind),
    width: 110,
  },
  {
    id: 'choices',
    title: 'attributes.choices',
    read: (row: Attribute) => row.choices.map(choice => choice.label).join(', '),
    width: 240,
  },
  {
    id: 'appOnly',
    title: 'attributes.appOnly',
    read: (row: Attribute) => yesOrNo(row.appOnly),
    width: 170,
  },
  {
    id: 'fromPublic',
    title: 'attributes.fromPublic',
    read: (row: Attribute) => yesOrNo(row.fromPublic),
    width: 150,
  },
] as const

function columnsOf(onEdit: OnEdit): Column<Attribute>[] {
  return [
    {
      id: 'name',
      title: t('attributes.label'),
      value: nameOf,
      cell: row => <Name attribute={row} onEdit={onEdit} />,
      width: 180,
    },
    ...TEXTS.map(({ id, title, read, width }) => ({
      id,
      title: t(title),
      value: read,
      cell: (row: Attribute) => shortened(read(row)),
      width,
    })),
    ...(onEdit
      ? [
          {
            id: 'remove',
            title: t('lists.remove'),
            value: () => null,
            control: true,
            cell: (row: Attribute) => <RemoveAttribute attribute={row} />,
            width: 120,
          },
        ]
      : []),
  ]
}

function Card({ attribute, onEdit }: { attribute: Attribute; onEdit: OnEdit }) {
  return (
    <div style={{ gridColumn: '1 / -1' }}>
      <div className="ccard-top">
        <Name attribute={attribute} onEdit={onEdit} />
        {onEdit && <RemoveAttribute attribute={attribute} />}
      </div>
      <dl>
        {TEXTS.filter(({ read }) => read(attribute) !== '').map(({ id, title, read }) => (
          <div key={id}>
            <dt>{t(title)}</dt>
            <dd style={{ overflowWrap: 'anywhere' }}>{shortened(read(attribute))}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

const FIELDS = ['label', 'choices', 'appOnly', 'fromPublic'] as const

function sentenceOf({ action, by, before, after }: AttributeChange): string {
  const isOther = (field: (typeof FIELDS)[number]) =>
    JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field])
  return t(`attributes.${action}`, {
    who: whoDid(by, { customer: null }),
    name: (after ?? before)!.label,
    fields: FIELDS.filter(isOther)
      .map(field => t(`attributes.${field}`))
      .join(', '),
  })
}
