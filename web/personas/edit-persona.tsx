// The form that changes the targeting of a persona.

import type { PersonaEdit } from '../../src/manage/personas/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { useEdit } from '../form/use-edit.ts'
import { t } from '../words/words.ts'
import { type Persona, useKeepPersona } from './data.ts'
import { personaBodyOf, personaDraftOf } from './draft.ts'
import { PersonaFields } from './fields.tsx'

export function EditPersona({ cuid, persona }: { cuid: number; persona: Tagged<Persona> }) {
  const { cid, pid } = persona
  const edit = useEdit({
    current: persona,
    draftOf: personaDraftOf,
    bodyOf: personaBodyOf,
    read: () => tagged(api.withMeta.readPersona({ cuid, cid, pid })),
    write: (changes, ifMatch) =>
      tagged(api.withMeta.editPersona({ cuid, cid, pid, body: changes as PersonaEdit }, { ifMatch })),
    keep: useKeepPersona(cuid, cid),
  })
  const errors = useFieldErrors(edit.body)
  return (
    <EditForm title={t('personas.targeting')} errors={errors} edit={edit}>
      <PersonaFields draft={edit.draft} errors={errors} onChange={edit.setDraft} />
    </EditForm>
  )
}
