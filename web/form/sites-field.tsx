// Where the ads of a campaign, or of all campaigns of a customer, may be shown, and where never.

import { SimpleGrid } from '@mantine/core'
import type { Sites } from '../../src/manage/site-lists/contract.ts'
import { t } from '../words/words.ts'
import type { FieldErrors } from './field-errors.ts'
import { LinesField, linesOf } from './lines-field.tsx'

/** As typed, an entry per line. */
export interface SitesDraft {
  only: string
  not: string
}

export const NO_SITES: SitesDraft = { only: '', not: '' }

export function sitesDraftOf(sites: { only: string[]; not: string[] } | null): SitesDraft {
  return sites ? { only: sites.only.join('\n'), not: sites.not.join('\n') } : NO_SITES
}

/** Null: everywhere. */
export function sitesBodyOf(draft: SitesDraft): Sites | null {
  const only = linesOf(draft.only)
  const not = linesOf(draft.not)
  return only.length === 0 && not.length === 0 ? null : { only, not }
}

interface SitesFieldProps {
  value: SitesDraft
  errors: FieldErrors
  onChange: (value: SitesDraft) => void
}

export function SitesField({ value, errors, onChange }: SitesFieldProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <LinesField
        label={t('sites.only')}
        about={t('sites.onlyAbout')}
        value={value.only}
        error={errors.at('/sites/only')}
        onChange={only => onChange({ ...value, only })}
      />
      <LinesField
        label={t('sites.not')}
        about={t('sites.notAbout')}
        value={value.not}
        error={errors.at('/sites/not')}
        onChange={not => onChange({ ...value, not })}
      />
    </SimpleGrid>
  )
}
