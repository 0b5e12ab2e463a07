// The contract of the endpoint that undoes one change of the history.

import type { Static } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Id } from '../../http/schema.ts'

export const UNDO_WAYS = ['edit', 'pause', 'resume', 'delete', 'restore'] as const

export const UndoneChange = Body({
  id: Id('The entry of the history that was taken back.'),
  noun: Choice(['campaign', 'flight', 'persona', 'banner'], { description: 'What it was about.' }),
  nounId: Id('Its cid, fid, pid or bid.'),
  by: Choice(UNDO_WAYS, { description: 'How it was taken back.' }),
})
export type UndoneChange = Static<typeof UndoneChange>

export const undoChange = endpoint({
  id: 'undoChange',
  access: 'customer',
  cuid: true,
  ofAnyCampaign: true,
  needs: 'edit',
  dryRun: true,
  method: 'POST',
  path: '/history/:id/undo',
  tag: 'Campaigns',
  summary: 'Take one change back',
  description: `\`id\` is an entry of \`GET /campaign/:cid/history\`. An edit gets back the values it replaced; what was created
is deleted, what was deleted is restored. It is a change of its own, with the rights and ceilings of the caller, and appears
in the history. Only the last change of an object can be taken back: 409 \`undo_outdated\` if there was another one since.`,
  answer: UndoneChange,
  problems: ['undo_outdated', 'undo_impossible', 'conflict', 'quota_exceeded'],
  examples: { answer: { id: 17, noun: 'campaign', nounId: 1002, by: 'edit' } },
})
