// The form that changes the details of a customer, for the customer itself or for staff. Only staff may change the
// email.

import { SimpleGrid, TextInput } from '@mantine/core'
import type { CustomerEdit } from '../../src/manage/customers/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import { ClickParameters } from '../banners/click-parameters.tsx'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { type SitesDraft, SitesField, sitesBodyOf, sitesDraftOf } from '../form/sites-field.tsx'
import { useEdit } from '../form/use-edit.ts'
import { completeAddress } from '../form/web-address.ts'
import { useSession } from '../session/session.ts'
import { t } from '../words/words.ts'
import { type Customer, useKeepCustomer } from './data.ts'

const FIELDS = [
  'company',
  'email',
  'name',
  'website',
  'phone',
  'address',
  'zip',
  'city',
  'state',
  'country',
  'clickParameters',
] as const
type Field = (typeof FIELDS)[number]
type Draft = Record<Field, string> & { sites: SitesDraft }

const REQUIRED: readonly Field[] = ['company', 'email']

const draftOf = (customer: Customer) =>
  ({
    ...Object.fromEntries(FIELDS.map(field => [field, customer[field] ?? ''])),
    sites: sitesDraftOf(customer.sites),
  }) as Draft
const bodyOf = (draft: Draft) => ({
  ...Object.fromEntries(
    FIELDS.map(field => {
      const value = field === 'website' ? completeAddress(draft[field]) : draft[field].trim()
      return [field, value === '' && !REQUIRED.includes(field) ? null : value]
    }),
  ),
  sites: sitesBodyOf(draft.sites),
})

export function CustomerForm({ customer }: { customer: Tagged<Customer> }) {
  const { cuid } = customer
  const { level } = useSession()
  const edit = useEdit({
    current: customer,
    draftOf,
    bodyOf,
    read: () => tagged(api.withMeta.readCustomer({ cuid })),
    write: (changes, ifMatch) =>
      tagged(api.withMeta.editCustomer({ cuid, body: changes as CustomerEdit }, { ifMatch })),
    keep: useKeepCustomer(),
  })
  const errors = useFieldErrors(edit.body)
  const fixed = (field: Field) => field === 'email' && level !== 'app'
  return (
    <EditForm title={t('account.details')} errors={errors} edit={edit}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {FIELDS.filter(field => field !== 'clickParameters').map(field => (
          <TextInput
            key={field}
            label={t(`customers.field.${field}`)}
            description={fixed(field) ? t('account.emailAbout') : undefined}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            withAsterisk={REQUIRED.includes(field)}
            type={field === 'email' ? 'email' : field === 'website' ? 'url' : 'text'}
            readOnly={fixed(field)}
            value={edit.draft[field]}
            error={errors.at(`/${field}`)}
            onChange={event => {
              const { value } = event.currentTarget
              edit.setDraft(draft => ({ ...draft, [field]: value }))
            }}
          />
        ))}
      </SimpleGrid>
      <ClickParameters
        value={edit.draft.clickParameters}
        error={errors.at('/clickParameters')}
        onChange={clickParameters => edit.setDraft(draft => ({ ...draft, clickParameters }))}
      />
      <SitesField
        value={edit.draft.sites}
        errors={errors}
        onChange={sites => edit.setDraft(draft => ({ ...draft, sites }))}
      />
    </EditForm>
  )
}
