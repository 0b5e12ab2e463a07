// The customer that the documents show, and its pair.

export const example = {
  company: 'Blue Bikes Ltd',
  email: 'ann@bluebikes.example',
  name: 'Ann Rider',
  website: 'https://bluebikes.example/',
}
export const readExample = {
  cuid: 1001,
  ...example,
  address: null,
  country: null,
  city: null,
  zip: null,
  state: null,
  phone: null,
  language: null,
  timezone: null,
  timezonePending: null,
  apiAccess: true,
  prepaid: false,
  frozen: false,
  ceilings: null,
  review: null,
  sites: null,
  lowBalance: null,
  clickParameters: null,
  externalId: null,
  metadata: {},
  created: 1_790_000_000,
}
export const pairExample = {
  key: 'mqck_0000000000000000000000zzzzzz',
  token: 'mqct_0000000000000000000000000000000000000000000zzzzzz',
  expires: 1_797_776_000,
}
