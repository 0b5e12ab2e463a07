// Prompts: what a person can start by name, as a text that tells the model which tools to use in which order.

import { invalidField, notFound } from '../../kernel/errors/problem.ts'

interface Prompt {
  name: string
  title: string
  description: string
  arguments: { name: string; description: string; required: boolean }[]
  text(given: Record<string, string>): string
}

const LONGEST = 2_000

const PROMPTS: Prompt[] = [
  {
    name: 'launch_campaign',
    title: 'Launch a campaign',
    description: 'From a wish in your own words to a campaign that a person can approve.',
    arguments: [{ name: 'wish', description: 'What to advertise, where, and for how much.', required: true }],
    text: ({ wish }) => `Set up an advertising campaign for this wish of your person:

<wish>
${wish}
</wish>

1. get_account: what you may do, the currency, the time zone and the time now.
2. find_places for where, find_categories only if the pages matter, list_ad_sizes for the images.
3. plan_campaign with a budget a day that keeps to the wish: set totalSpend or monthlySpend to the whole of it. Name a price from \`winning\` of its answer, and plan again if the price is too low.
4. Tell your person in plain words what it does, whom it reaches and the most it can cost. Ask what is missing: images, the page that clicks lead to.
5. create_campaign with the plan, then upload_creative for each image, then get_campaign until every review is over.
6. request_resume. If a person must approve, give them the link and wait: never ask anybody to approve without reading.`,
  },
  {
    name: 'weekly_review',
    title: 'Weekly review',
    description: 'What the last seven days brought, what stands out, and what to change.',
    arguments: [
      { name: 'cid', description: 'Only this campaign; default: all of the customer.', required: false },
    ],
    text: ({
      cid,
    }) => `Review the last seven whole days of ${cid ? `campaign ${cid}` : 'all campaigns of the customer'}.

1. get_account for the time now and the time zone.
2. get_figures with from and to (whole days) and compare, then once more by dimension ${cid ? 'persona, banner and domain' : 'campaign'}.
3. find_campaigns; for each that should deliver but has few impressions, why_not_delivering.
4. Tell your person in at most ten lines: spend against budget, impressions, clicks, conversions, the change to the week before, what stands out, and why. Differences of a few clicks mean nothing.
5. Propose at most three changes with plan_change, each with its reason and its cost. Apply only what your person wants.`,
  },
  {
    name: 'why_is_nothing_delivered',
    title: 'Why is nothing delivered?',
    description: 'Finds out why a campaign does not deliver, and what would help.',
    arguments: [{ name: 'cid', description: 'The campaign.', required: true }],
    text: ({ cid }) => `Find out why campaign ${cid} does not deliver.

1. why_not_delivering, then get_campaign.
2. Name the first cause in this order: the customer is frozen, the campaign is paused or out of its dates, a budget or the balance is spent, a banner is missing or rejected, no request fits, the price is too low.
3. Say it in one sentence, with the numbers that show it.
4. Plan the smallest change that helps with plan_change, and say what it costs. If it is targeting or price, plan_campaign with other values shows what they would reach.`,
  },
]

export const listedPrompts = PROMPTS.map(({ text: _, ...prompt }) => prompt)

export function promptText(
  name: string,
  given: Record<string, string>,
): { description: string; text: string } {
  const prompt = PROMPTS.find(one => one.name === name)
  if (!prompt) throw notFound('the prompt')
  for (const { name: field, required } of prompt.arguments) {
    const value = given[field]
    if (required && !value) throw invalidField(`/${field}`, 'required')
    if (value !== undefined && value.length > LONGEST)
      throw invalidField(`/${field}`, 'too_long', { max: LONGEST, length: value.length })
    if (field === 'cid' && value && !/^\d{1,16}$/.test(value)) throw invalidField('/cid', 'not_an_integer')
  }
  return { description: prompt.description, text: prompt.text(given) }
}
