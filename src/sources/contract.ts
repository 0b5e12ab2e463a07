// Sources as the staff of an app may know them: the sites and exchanges that ask for ads, and what they showed today of
// the app's own customers. The operator registers them. Secrets are not shown: neither server keys nor bid URLs.

import { type Static, Type } from 'typebox'
import { endpoint } from '../http/endpoint.ts'
import { Body, Choice, Created, Id, Nullable } from '../http/schema.ts'

export const SeenSource = Body({
  sourceId: Id('Source id.'),
  kind: Choice(['exchange', 'site'], { description: 'An OpenRTB exchange, or pages with our tag.' }),
  name: Type.String({ description: 'Name given by the operator.' }),
  domain: Nullable(Type.String({ description: 'For a site: the domain of its pages.' })),
  key: Nullable(
    Type.String({
      description: 'For a site: the public key for its tags. The bid URL of an exchange is secret.',
    }),
  ),
  serverKey: Type.Boolean({
    description: 'Whether a site has a server key. The key is shown only when it is created.',
  }),
  billsOn: Choice(['notice', 'pixel'], { description: 'Which call counts the impression.' }),
  allowsCpc: Type.Boolean({
    description:
      'Whether campaigns that are paid by click are shown there: on sites always, on exchanges if the operator allows it.',
  }),
  created: Created,
  today: Body(
    {
      imps: Type.Integer({ description: "Impressions of the app's customers since the day began." }),
      spend: Type.Number({ description: 'What they and their clicks cost, in currency units.' }),
    },
    { description: 'Since the day began.' },
  ),
})
export type SeenSource = Static<typeof SeenSource>

export const listSources = endpoint({
  id: 'listSources',
  method: 'GET',
  path: '/source',
  tag: 'Reports',
  summary: 'Where ads are shown',
  description:
    'The sites and exchanges of the deployment, with what each showed today for customers of the app. Figures may be a minute old.',
  access: 'app',
  ofChosenCustomers: true,
  answer: Type.Array(SeenSource),
  examples: {
    answer: [
      {
        sourceId: 2,
        kind: 'site',
        name: 'news',
        domain: 'news.example',
        key: 'mqs000000000000000000000000',
        serverKey: true,
        billsOn: 'pixel',
        allowsCpc: true,
        created: 1_790_000_000,
        today: { imps: 1200, spend: 2.4 },
      },
    ],
  },
})
