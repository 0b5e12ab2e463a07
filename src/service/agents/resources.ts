// What a program can read without a tool: the rules for images, our words, and a campaign as a page.

import { escapeHtml } from '../../deliver/markup/escape.ts'
import { notFound } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import { readFigures } from '../../report/figures/contract.ts'
import { GUIDES, markdownOf } from '../docs/guides.ts'
import { wholeCampaign } from './find-tools.ts'
import { figuresInWords } from './insight-tools.ts'
import { campaignInWords } from './shown.ts'
import { type Agent, CHARACTERS_PER_TOKEN, MOST_TOKENS, NOTICE } from './tool.ts'
import { amount } from './words.ts'

const MARKDOWN = 'text/markdown'

export const RESOURCES = [
  {
    uri: 'marquee://guidelines',
    name: 'guidelines',
    title: 'What an image must be',
    description: 'Sizes, weight, types and animation of a banner, and how it is reviewed.',
    mimeType: MARKDOWN,
  },
  {
    uri: 'marquee://words',
    name: 'words',
    title: 'Words',
    description: 'What campaign, flight, persona, banner and other words mean here.',
    mimeType: MARKDOWN,
  },
]

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'marquee://customer/{cuid}/campaign/{cid}',
    name: 'campaign',
    title: 'A campaign as a page',
    description: 'What it is, whom it reaches, what it shows and what it has achieved.',
    mimeType: MARKDOWN,
  },
]

export interface Read {
  uri: string
  mimeType: string
  text: string
}

const CAMPAIGN = /^marquee:\/\/customer\/(\d{1,16})\/campaign\/(\d{1,16})$/

export async function readResource(uri: string, agent: Agent): Promise<Read> {
  const [, cuidText, cidText] = CAMPAIGN.exec(uri) ?? []
  const [cuid, cid] = [parseId(cuidText ?? ''), parseId(cidText ?? '')]
  if (cuid !== null && cid !== null) return page(uri, await campaignPage(agent, cuid, cid))
  if (uri === 'marquee://guidelines') return page(uri, guide('creative-guidelines', agent))
  if (uri === 'marquee://words') return page(uri, withoutCode(guide('words', agent)))
  throw notFound('the resource')
}

function page(uri: string, text: string): Read {
  const most = MOST_TOKENS * CHARACTERS_PER_TOKEN
  return { uri, mimeType: MARKDOWN, text: text.length > most ? `${text.slice(0, most - 2)}\n…` : text }
}

function guide(name: string, { publicUrl }: Agent): string {
  return markdownOf(GUIDES.find(one => one.name === name)!, publicUrl)
}

/** The words without their places in the code, and without the sections about how the service works inside. */
function withoutCode(text: string): string {
  const wanted = text
    .split(/^(?=## )/m)
    .filter((part, n) => n > 0 && !/^## (Calls and work|To people)/.test(part))
  return `# Words\n\n${wanted.join('').replaceAll(/^(\|[^|\n]*\|[^|\n]*\|)[^\n]*$/gm, '$1')}`
}

async function campaignPage(agent: Agent, cuid: number, cid: number): Promise<string> {
  const { campaign, personas, banners, zone } = await wholeCampaign(agent, { cuid, cid })
  const { body } = await agent.call(readFigures, { cuid, params: { id: cid } })
  const { currency, publicUrl } = agent
  const lines = [
    `# Campaign ${cid}`,
    `Named ${quoted(campaign.name)}. ${NOTICE}`,
    campaignInWords(campaign, { currency, zone }),
    `Until now: ${figuresInWords(body.summary, currency)}.`,
    '## Personas',
    ...personas.map(({ pid, name, enabled, geo }) => {
      const where =
        'geos' in geo
          ? geo.geos.slice(0, 10).map(quoted).join(', ')
          : `${geo.radius} m around ${geo.geocode.join(', ')}`
      return `- Persona ${pid}, named ${quoted(name)}${enabled ? '' : ', paused'}: ${where}`
    }),
    '## Banners',
    ...banners.map(({ bid, pid, name, width, height, status }) => {
      const size = width && height ? `, ${width}x${height}` : ''
      return `- Banner ${bid} of persona ${pid}, named ${quoted(name)}${size}: ${status}`
    }),
    `In the console: ${publicUrl}/console/campaigns/${cid}`,
    ...(campaign.pricing === 'cpc'
      ? []
      : [`Price: ${amount(campaign.cpm, currency)} per 1,000 impressions.`]),
  ]
  return `${lines.join('\n\n')}\n`
}

/** A text of others in one line, which neither ends its quotes nor begins any Markdown. */
function quoted(text: string): string {
  const flat = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
  return `"${escapeHtml(flat).replaceAll(/([\\`*_[\]#!|])/g, '\\$1')}"`
}
