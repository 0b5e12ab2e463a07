// Failures as contracts describe them: a problem, a wrong field, a finding. The codes themselves are in tables of the
// kernel, which browsers do not load.

import { Type } from 'typebox'
import type { FieldError, FieldErrorCode, FieldErrorParams } from '../kernel/errors/field-error.ts'
import type { Finding as FindingData } from '../kernel/errors/finding.ts'
import type { ProblemParams, ProblemReason } from '../kernel/errors/problem.ts'
import { Body } from './schema.ts'

/** For the client, which sees only what contracts export. */
export type { FieldError, FieldErrorCode, FieldErrorParams, ProblemParams, ProblemReason }

const ABOUT_PARAMS =
  'The values in `message`, by name, for words of your own: docs/errors.md lists those of each code. Empty if it has none.'

const Params = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: ABOUT_PARAMS,
})

export const findingFields = {
  code: Type.String({ description: 'What it is, for a program: a field code of docs/errors.md.' }),
  params: Params,
  message: Type.String({ description: 'The same in English, for a person.' }),
}

/** Something that was found out about an image, a place or a campaign. */
export const Finding = Type.Unsafe<FindingData>(Body(findingFields))

/** A wrong field. */
export const Wrong = Type.Unsafe<FieldError>(
  Body({
    path: Type.String({ description: 'JSON pointer into the body, or `?name` for a query parameter.' }),
    ...findingFields,
  }),
)

/** The failure of a part of something larger, such as an operation of a bulk call or a job. */
export const failureFields = {
  message: Type.String({ description: 'What is wrong, for a person.' }),
  code: Type.String({ description: 'What is wrong, for a program: a code of docs/errors.md.' }),
  reason: Type.Optional(Type.String({ description: 'Which of the causes of this code, if it has several.' })),
  params: Type.Optional(Params),
  errors: Type.Optional(Type.Array(Wrong, { description: 'Each wrong field.' })),
}
