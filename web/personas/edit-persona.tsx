// The targeting of a persona, to be changed.

import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { useNotice } from '../shell/notice.ts'
import { Panel } from '../shell/panel.tsx'
import { t } from '../words/words.ts'
import { type Persona, useKeepPersona } from './data.ts'
import { personaBodyOf, personaDraftOf } from './draft.ts'
import { PersonaFields } from './fields.tsx'

export function EditPersona({ cuid, persona }: { cuid: number; persona: Persona }) {
  const { cid, pid } = persona
  const [draft, setDraft] = useState(() => personaDraftOf(persona))
  const [busy, setBusy] = useState(false)
  const errors = useFieldErrors()
  const keep = useKeepPersona(cuid, cid)
  const notice = useNotice()
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    errors.clear()
    try {
      keep(await api.editPersona({ cuid, cid, pid, body: personaBodyOf(draft) }))
      notice.done(t('form.saved'))
    } catch (error) {
      errors.take(error)
    }
    setBusy(false)
  }
  return (
    <Panel title={t('personas.targeting')}>
      <form onSubmit={save} noValidate>
        <Stack maw={860}>
          <FormProblem errors={errors} />
          <PersonaFields draft={draft} errors={errors} onChange={setDraft} />
          <Group>
            <Button type="submit" loading={busy}>
              {t('form.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
