// Creates or changes a persona by the id of the app's own system, and never creates it twice within its campaign.

import type { Tx } from '../../changes/tx.ts'
import { bodyToCreate, byExternalId, type ExternalKey } from '../../http/external-id.ts'
import type { Db } from '../../platform/database.ts'
import { NewPersona, type Persona, type PersonaEdit } from './contract.ts'
import { type Change, createPersona, editPersona, type FoundPersona, findPersona } from './personas.ts'
import { lockPersonasByExternalId } from './queries.ts'

const personas = byExternalId('persona', row => row.pid, lockPersonasByExternalId)
export const personaKey = personas.key

/** The persona as it is now; null if there is none yet. */
export async function presentPersona(db: Db, cuid: number, key: ExternalKey): Promise<Persona | null> {
  const row = await personas.find(db, key)
  return row && (await findPersona(db, cuid, String(key.parent), String(row.pid))).persona
}

export function putPersona(
  db: Tx,
  cuid: number,
  key: ExternalKey,
  body: PersonaEdit,
  change: Change,
): Promise<{ result: FoundPersona; created: boolean }> {
  return personas.upsert(db, key, {
    body,
    ifMatch: change.ifMatch,
    create: () =>
      createPersona(db, cuid, key.parent, bodyToCreate<NewPersona>(NewPersona, body, key), change),
    change: async ({ pid }) => {
      const target = await findPersona(db, cuid, String(key.parent), String(pid))
      return editPersona(db, target, body, change)
    },
  })
}
