// What can be one is said of one: "1 waits", never "1 wait".

import { expect, it } from 'vitest'
import { de } from './de.ts'
import { en } from './en.ts'

it.each([
  'cockpit.waitForAnswer',
  'created.someApproved',
  'bulk.deleteAbout',
  'bulk.apply',
  'why.unseen',
  'balance.imps',
  'balance.clicks',
] as const)('%s has a singular and a plural in both languages', word => {
  for (const catalogue of [en, de]) {
    const [one, many, ...more] = catalogue[word].split('|')
    expect([one === many, more]).toEqual([false, []])
  }
})
