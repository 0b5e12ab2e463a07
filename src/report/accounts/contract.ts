// Accounts of customers that pay in advance: the balance and credits; and statements of all customers, as seen from
// outside.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Id, keptShown, Money, Nullable, Text, UnixTime } from '../../http/schema.ts'
import { MAX_UNITS } from '../../kernel/money.ts'

export const MAX_ENTRIES = 100_000

const cuid = Id('Customer id.')
const currency = Type.String({ description: 'Currency of the deployment.', examples: ['USD'] })
const amountOf = (description: string) => Type.Number({ description })

export const Account = Body(
  {
    cuid,
    prepaid: Type.Boolean({ description: 'Whether it pays in advance. False: all amounts are 0.' }),
    balance: amountOf('What is left: `credited` − `spent`.'),
    reserved: amountOf('The part of the balance that is promised to delivery right now.'),
    credited: amountOf('Credits and corrections since the account began.'),
    spent: amountOf('What was billed since the account began.'),
    lowBalance: Nullable(amountOf('Balance at which `customer.balance_low` is sent.')),
    currency,
  },
  { description: 'The account.' },
)
export type Account = Static<typeof Account>

export const ENTRY_KINDS = ['credit', 'correction', 'spend'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

export const AccountEntry = Body(
  {
    time: UnixTime({ description: 'When it was booked; for spend the last second of its day.' }),
    kind: Choice(ENTRY_KINDS, {
      description:
        'Paid in, taken back, or spent. A correction without a `reference` is what was left when the account ended.',
    }),
    amount: amountOf('What it adds to the balance; spend is negative.'),
    reference: Type.Optional(Type.String({ description: 'As it was given.' })),
    note: Type.Optional(Type.String({ description: 'As it was given.' })),
    cid: Type.Optional(Id('The campaign that spent it.')),
    day: Type.Optional(
      Type.String({ description: "Day of the customer's budgets.", examples: ['2026-11-15'] }),
    ),
  },
  { description: 'One line of the account.' },
)
export type AccountEntry = Static<typeof AccountEntry>

export const NewCredit = Body({
  amount: Money(-MAX_UNITS, MAX_UNITS, {
    description: 'What is paid in, or negative to correct. Not 0.',
    examples: [100],
  }),
  reference: Text(1, 100, {
    description: 'Your own id of the payment. For ever, no other entry of the customer can have it.',
    examples: ['invoice-2026-1107'],
  }),
  note: Type.Optional(Nullable(Text(1, 500, { description: 'Shown on the statement.' }))),
})
export type NewCredit = Static<typeof NewCredit>

export const Credited = Body({ entry: AccountEntry, account: Account })
export type Credited = Static<typeof Credited>

export const Statement = Body({
  number: Type.String({ description: 'Identifies the statement.', examples: ['1001-202611'] }),
  cuid,
  company: Type.String({ description: 'Name of the company.' }),
  ...keptShown,
  from: UnixTime({ description: 'The first second of the period.' }),
  to: UnixTime({ description: 'The first second after the period.' }),
  timezone: Type.String({ description: 'Time zone of its last day.', examples: ['Europe/Berlin'] }),
  currency,
  opening: amountOf('Balance before the first entry.'),
  entries: Type.Array(AccountEntry, { description: 'Oldest first.' }),
  closing: amountOf('Balance after the last entry: `opening` and all amounts, to the millionth.'),
})
export type Statement = Static<typeof Statement>

const accountExample = {
  cuid: 1001,
  prepaid: true,
  balance: 87.6,
  reserved: 4.8,
  credited: 100,
  spent: 12.4,
  lowBalance: 20,
  currency: 'USD',
}
const creditExample = { amount: 100, reference: 'invoice-2026-1107', note: 'Bank transfer' }
const entryExample = { time: 1_790_000_000, kind: 'credit', ...creditExample }

export const readAccount = endpoint({
  id: 'readAccount',
  method: 'GET',
  path: '/customer/:cuid/account',
  tag: 'Accounts',
  summary: 'The balance of a customer',
  description: 'What a customer that pays in advance has paid, spent and left.',
  access: 'customer',
  answer: Account,
  examples: { answer: accountExample },
})

export const creditCustomer = endpoint({
  id: 'creditCustomer',
  staff: 'finance',
  needs: 'spend',
  method: 'POST',
  path: '/customer/:cuid/credit',
  tag: 'Accounts',
  summary: 'Credit a customer',
  description:
    'Adds to the balance; a negative `amount` corrects it. Delivery goes on within 2 s. The `reference` makes it safe to repeat, for ever: the same again answers 200 with the first entry, with another amount 409 `reference_taken`. A correction by more than is left and not promised gets 409 `balance_too_low`; nothing is stored, and its reference is still free. 409 `not_prepaid` for a customer that does not pay in advance.',
  access: 'app',
  ofChosenCustomers: true,
  body: NewCredit,
  status: 201,
  otherStatuses: { 200: 'Credited before, with the same reference and amount.' },
  dryRun: true,
  answer: Credited,
  problems: ['balance_too_low', 'not_prepaid', 'reference_taken'],
  examples: {
    body: creditExample,
    answer: { entry: entryExample, account: { ...accountExample, balance: 100, spent: 0, reserved: 0 } },
  },
})

export const readStatement = endpoint({
  id: 'readStatement',
  method: 'GET',
  path: '/customer/:cuid/statement',
  tag: 'Accounts',
  summary: 'The statement of a customer',
  description: `Of a \`month\`, or of a period \`from\`, \`to\`; without any, of the present month. Spend is one entry per day and
campaign, at the last second of the day, so the present day is in the statement of the present month. Impressions may
still be billed to a day for about an hour after its end. A customer that paid afterwards for the whole period has its
spend, from an \`opening\` of 0. At most ${MAX_ENTRIES.toLocaleString('en')} entries. As CSV with \`accept: text/csv\`;
with \`accept-language: de\` as German spreadsheets read it.`,
  access: 'customer',
  query: {
    month: {
      schema: Type.String({ format: 'month', pattern: '^[2-4][0-9]{3}-(0[1-9]|1[0-2])$' }),
      description: "A month in the customer's time zone, such as 2026-11.",
    },
    from: { schema: UnixTime(), description: 'From this moment on. Together with `to`.' },
    to: { schema: UnixTime(), description: 'Until just before this moment.' },
  },
  answer: Statement,
  also: ['text/csv'],
  examples: {
    answer: {
      number: '1001-202611',
      cuid: 1001,
      company: 'Blue Bikes Ltd',
      externalId: null,
      metadata: {},
      from: 1_793_491_200,
      to: 1_796_083_200,
      timezone: 'UTC',
      currency: 'USD',
      opening: 0,
      entries: [
        { ...entryExample, time: 1_793_800_000 },
        { time: 1_793_836_799, kind: 'spend', amount: -12.4, cid: 1002, day: '2026-11-04' },
      ],
      closing: 87.6,
    },
  },
})
