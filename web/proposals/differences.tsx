// What a proposal would change: the fields of one object, of each object of a bulk call, or of a whole order with its
// contents.

import { Stack, Text } from '@mantine/core'
import { imageUrl } from '../api/client.ts'
import { Changes } from '../format/changes.tsx'
import { t } from '../words/words.ts'
import type { Proposal } from './data.ts'

type Fields = Record<string, unknown>

export function Differences({ proposal: { before, after } }: { proposal: Proposal }) {
  if (!Array.isArray(before) || !Array.isArray(after))
    return <One before={before as Fields | null} after={after as Fields | null} />
  const [was, becomes] = [before as (Fields | null)[], after as (Fields | null)[]]
  return (
    <Stack gap="xs">
      {becomes.map((object, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: The list of a proposal never changes.
        <div key={at}>
          <Text size="sm" fw="var(--strong)" style={{ overflowWrap: 'anywhere' }}>
            {String((object ?? was[at])?.name ?? '')}
          </Text>
          <One before={was[at] ?? null} after={object} />
        </div>
      ))}
    </Stack>
  )
}

/** For a new object, also what is created with it. */
function One({ before, after }: { before: Fields | null; after: Fields | null }) {
  return (
    <>
      <Changes before={before} after={after} />
      {before === null &&
        after &&
        INSIDE.map(([part, noun]) => <Parts key={part} {...{ noun }} of={after[part]} />)}
    </>
  )
}

const INSIDE = [
  ['flights', 'flight'],
  ['personas', 'persona'],
  ['banners', 'banner'],
] as const

function Parts({ noun, of }: { noun: (typeof INSIDE)[number][1]; of: unknown }) {
  if (!Array.isArray(of) || of.length === 0) return null
  return (
    <Stack gap="xs" mt="xs" pl="md">
      {(of as Fields[]).map((object, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: The list of a proposal never changes.
        <div key={at}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {t(`proposals.${noun}`, { name: String(object.name ?? '') })}
          </Text>
          {noun === 'banner' && <Picture url={object.creativeURL} />}
          <One before={null} after={object} />
        </div>
      ))}
    </Stack>
  )
}

/** Images on other hosts are not shown before they are checked. */
function Picture({ url }: { url: unknown }) {
  if (typeof url !== 'string' || !url.startsWith('/')) return null
  return (
    <img
      src={imageUrl(url)}
      alt=""
      loading="lazy"
      style={{ maxWidth: '100%', maxHeight: 120, marginTop: 4 }}
    />
  )
}
