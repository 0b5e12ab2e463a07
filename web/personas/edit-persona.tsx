// The targeting of a persona, to be changed.

import { useState } from 'react'
import { api } from '../api/client.ts'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { t } from '../words/words.ts'
import { type Persona, useKeepPersona } from './data.ts'
import { personaBodyOf, personaDraftOf } from './draft.ts'
import { PersonaFields } from './fields.tsx'

export function EditPersona({ cuid, persona }: { cuid: number; persona: Persona }) {
  const { cid, pid } = persona
  const [draft, setDraft] = useState(() => personaDraftOf(persona))
  const errors = useFieldErrors()
  const keep = useKeepPersona(cuid, cid)
  const save = async () => keep(await api.editPersona({ cuid, cid, pid, body: personaBodyOf(draft) }))
  return (
    <EditForm title={t('personas.targeting')} errors={errors} save={save}>
      <PersonaFields draft={draft} errors={errors} onChange={setDraft} />
    </EditForm>
  )
}
