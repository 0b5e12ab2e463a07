// What a publisher asks of ads: the least price, also by size, and what it does not show.

import type { SourceTerms } from '../../src/manage/sources/contract.ts'
import { cpmProblem } from '../campaigns/budget.ts'
import type { FieldErrors } from '../form/field-errors.ts'
import { LinesField, linesOf } from '../form/lines-field.tsx'
import { numberToSend, writeNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { currencySign, exactMoney } from '../format/format.ts'
import { CategoryPicker } from '../personas/category-picker.tsx'
import { t } from '../words/words.ts'
import type { SeenSource } from './data.ts'

export interface TermsDraft {
  floor: string
  /** A size and a number in each line. */
  floors: string
  categories: string[]
  advertisers: string
}

export const NO_TERMS: TermsDraft = { floor: '', floors: '', categories: [], advertisers: '' }

export function termsDraftOf({ floorCpm, floorCpmBySize, refuses }: SeenSource): TermsDraft {
  return {
    floor: floorCpm === null ? '' : writeNumber(floorCpm, 2),
    floors: floorCpmBySize.map(({ size, cpm }) => `${size} ${writeNumber(cpm, 2)}`).join('\n'),
    categories: refuses.categories,
    advertisers: refuses.advertisers.join('\n'),
  }
}

export function termsBodyOf({ floor, floors, categories, advertisers }: TermsDraft): SourceTerms {
  return {
    floorCpm: numberToSend(floor, 2),
    floorCpmBySize: floors
      .split('\n')
      .map(line => line.trim())
      .filter(line => line !== '')
      .map(line => {
        const [size = '', ...rest] = line.split(/[\s=:]+/)
        return { size, cpm: numberToSend(rest.join(' '), 2) as number }
      }),
    refuses: { categories, advertisers: linesOf(advertisers) },
  }
}

interface TermsFieldsProps {
  draft: TermsDraft
  errors: FieldErrors
  onChange: (draft: TermsDraft) => void
}

export function TermsFields({ draft, errors, onChange }: TermsFieldsProps) {
  const set = (change: Partial<TermsDraft>) => onChange({ ...draft, ...change })
  return (
    <>
      <NumberField
        label={t('terms.floor')}
        description={t('terms.floorAbout')}
        sign={currencySign()}
        decimals={2}
        show={exactMoney}
        check={cpmProblem}
        value={draft.floor}
        error={errors.at('/floorCpm')}
        onChange={floor => set({ floor })}
      />
      <LinesField
        label={t('terms.floors')}
        about={t('terms.floorsAbout')}
        value={draft.floors}
        error={errors.at('/floorCpmBySize')}
        onChange={floors => set({ floors })}
      />
      <CategoryPicker
        label={t('terms.categories')}
        about={t('terms.categoriesAbout')}
        value={draft.categories}
        error={errors.at('/refuses/categories')}
        onChange={categories => set({ categories })}
      />
      <LinesField
        label={t('terms.advertisers')}
        about={t('terms.advertisersAbout')}
        value={draft.advertisers}
        error={errors.at('/refuses/advertisers')}
        onChange={advertisers => set({ advertisers })}
      />
    </>
  )
}
