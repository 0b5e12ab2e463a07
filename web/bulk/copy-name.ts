// The name of a copy until it is renamed.

import { t } from '../words/words.ts'

const MAX_NAME = 255

export function copyName(name: string): string {
  const mark = t('copy.mark')
  return [...name].slice(0, MAX_NAME - mark.length).join('') + mark
}
