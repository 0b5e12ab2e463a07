// Kinds of settings that check more than their form: prices, weights of images, proxies, passkeys, stores.

import { takesPasskeys } from '../kernel/address.ts'
import { toMicros } from '../kernel/money.ts'
import { clientAddressBy } from './client-address.ts'
import { BadSetting, type Setting } from './setting.ts'
import { normalStoreUrl } from './store/address.ts'

/** Amounts are micros from the start. */
export const cpm: Setting<number> = {
  shown: '2.00',
  about: 'Price of 1,000 impressions for campaigns without a `cpm`.',
  isPlain: true,
  read: value => {
    const micros = toMicros(Number(value || '2.00'))
    if (micros === null || micros < 10_000) {
      throw new BadSetting(`must be an amount from 0.01 with at most 2 decimals`)
    }
    return micros
  },
}

/** `300x250=200,320x50=60` means kB by size; returned as bytes. */
export function weights(value: string): Record<string, number> {
  const entries = value
    .split(',')
    .map(item => /^([1-9][0-9]{1,4}x[1-9][0-9]{1,4})=([1-9][0-9]{0,3})$/.exec(item.trim()))
  if (entries.some(entry => !entry)) {
    throw new BadSetting(`must be sizes with kB from 1 to 9999, such as 300x250=200,320x50=60`)
  }
  return Object.fromEntries(entries.map(entry => [entry![1]!, Number(entry![2]) * 1000]))
}

export function proxies(value: string): string {
  try {
    clientAddressBy(value)
    return value
  } catch {
    throw new BadSetting('must be a list of addresses or networks, separated by commas')
  }
}

export const WHO_NEEDS_PASSKEYS = ['off', 'staff', 'all'] as const
export type WhoNeedsPasskeys = (typeof WHO_NEEDS_PASSKEYS)[number]

/** Where browsers keep no passkeys, nobody could sign in any more. */
export const passkeys: Setting<WhoNeedsPasskeys> = {
  shown: 'off',
  about:
    'Who must have a [passkey](access.md#passkeys) to work in the console after signing in by email: nobody (`off`), the `staff` of apps, or `all`. Needs a `PUBLIC_URL` with https and a host name, or localhost.',
  read: (value, env) => {
    const who = WHO_NEEDS_PASSKEYS.find(item => item === (value || 'off'))
    if (who === undefined) throw new BadSetting(`must be one of ${WHO_NEEDS_PASSKEYS.join(', ')}`)
    // A wrong public URL is reported once, as PUBLIC_URL.
    const address = env.PUBLIC_URL && URL.canParse(env.PUBLIC_URL) ? env.PUBLIC_URL : 'http://localhost'
    if (who !== 'off' && !takesPasskeys(address))
      throw new BadSetting('must be off without a PUBLIC_URL that has https and a host name')
    return who
  },
}

/** A folder, or a bucket for which there are keys. */
export function store(about: string): Setting<string | null> {
  return {
    shown: '',
    about,
    read: (value, env) => {
      if (value === undefined || value === '') return null
      const address = normalStoreUrl(value)
      if (address === null) throw new BadSetting(`must be a folder or s3://bucket/prefix`)
      if (address.startsWith('s3://') && !(env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY))
        throw new BadSetting('must come with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY when it is a bucket')
      return address
    },
  }
}
