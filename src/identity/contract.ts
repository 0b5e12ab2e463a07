// Who did something, as histories and webhooks show it, and the contents of alerts.

import { type Static, Type } from 'typebox'
import { Body, Choice, Id, Nullable, UnixTime } from '../http/schema.ts'
import { BUDGET_FIELDS } from '../kernel/costs-more.ts'
import { SCOPES } from '../kernel/permissions.ts'

export const By = Body(
  {
    kind: Choice(['person', 'key', 'app', 'service'], {
      description: 'A person in the console, a program with a pair, the app, or the service by itself.',
    }),
    name: Nullable(Type.String({ description: 'The name of the person or pair, if it has one.' })),
    email: Nullable(
      Type.String({
        description:
          'The email of a person who signed in by email, even if removed since; of a program that somebody lets act for them, the email of that person.',
      }),
    ),
    as: Nullable(
      Choice(['customer'], { description: '`customer`: staff of the app, who acted as the customer.' }),
    ),
  },
  { description: 'Who it was.' },
)
export type By = Static<typeof By>

const cuid = Id('Customer id.')

export const BudgetRaised = Body(
  {
    cuid,
    cid: Id('The campaign.'),
    fid: Nullable(Id('The flight whose budget it is; null: of the campaign.')),
    field: Choice(BUDGET_FIELDS, { description: 'Which budget.' }),
    before: Type.Number({ description: 'What it was.' }),
    after: Nullable(Type.Number({ description: 'What it is; null: it was removed, so there is no limit.' })),
    by: By,
  },
  { description: 'A budget that one call has raised a lot.' },
)
export type BudgetRaised = Static<typeof BudgetRaised>

export const KeyAlert = Body(
  {
    cuid,
    key: Type.String({ description: 'The key half of the pair.' }),
    name: Nullable(Type.String({ description: 'What it is for, for people.' })),
    scope: Choice(SCOPES, { description: 'What it may do.' }),
    created: UnixTime({ description: 'When it was issued.' }),
    expires: UnixTime({ description: 'When it expires.' }),
    by: By,
  },
  { description: 'A pair of the customer.' },
)
export type KeyAlert = Static<typeof KeyAlert>
