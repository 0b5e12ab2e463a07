// The world of the demo: shops with the people who work for them, their campaigns, and what happens to them. Days are
// counted back from the end of the history, so that a shorter one is its end.

import type { InputOf } from '../../../sdk/client.ts'
import type { Look } from './images.ts'

export interface Person {
  name: string
  email: string
  role: 'owner' | 'manager' | 'editor'
}

export interface Ad {
  claim: string
  button: string
  /** How much more often than others it is clicked. */
  appeal?: number
  /** When it was added, and by whom; without it, together with the campaign. */
  added?: { ago: number; by: number }
}

export interface Plan {
  name: string
  /** Negative days are to come. */
  ago: { start: number; end: number }
  fields: Omit<InputOf<'createCampaign'>['body'], 'name' | 'start' | 'end'>
  place: string
  ads: Ad[]
  /** Who creates it, by position in `people`. */
  by?: number
  product?: Look['product']
  /** The part of its budget that visitors are worth; 0: none of them come for it. */
  use?: number
  /** Separate personas for people on the road and at home. */
  isSplit?: boolean
}

export interface Shop {
  company: string
  website: string
  zone: string
  people: Person[]
  look: Look
  plans: Plan[]
  isPrepaid?: boolean
  edits?: Edit[]
  notes?: { ago: number; text: string }[]
  views?: InputOf<'createSavedView'>['body'][]
}

/** A change by a person; `proposed`: they may not decide it. */
export interface Edit {
  ago: number
  by: number
  campaign: string
  set: InputOf<'editCampaign'>['body']
  proposed?: true
}

const LOOKS = {
  sea: { paper: '#eaf3fb', dark: '#0b3d63', bright: '#e4572e', pale: '#8fc7ee' },
  roast: { paper: '#f7ede2', dark: '#4a2511', bright: '#b5651d', pale: '#e9c39b' },
  paper: { paper: '#f4f1e8', dark: '#24423a', bright: '#c8553d', pale: '#a9c2a0' },
  wood: { paper: '#f6f3ee', dark: '#3b3a36', bright: '#d98e04', pale: '#b8c4bb' },
  rose: { paper: '#fdf1f4', dark: '#2d5d46', bright: '#e0447c', pale: '#f7b7cc' },
  crust: { paper: '#fff6e6', dark: '#5b3413', bright: '#cf8a3b', pale: '#f4d5a2' },
  forest: { paper: '#eef5ee', dark: '#1e4032', bright: '#3f8f5f', pale: '#f2b84b' },
  ink: { paper: '#eef2fb', dark: '#1f2a52', bright: '#5468d4', pale: '#b9c6f2' },
  mint: { paper: '#eef6f1', dark: '#16423c', bright: '#3c8d7d', pale: '#a8d5c4' },
  maple: { paper: '#fdf0ec', dark: '#2b2d42', bright: '#ef5b3c', pale: '#ffc2ae' },
  violet: { paper: '#f5effa', dark: '#43256b', bright: '#8e5bd0', pale: '#d5bdf0' },
}

const person = (name: string, domain: string, role: Person['role']): Person => ({
  name,
  email: `${name.split(' ')[0]!.toLowerCase()}@${domain}`,
  role,
})

const HARBOUR: Shop = {
  company: 'Harbour Cycles',
  website: 'https://harbour-cycles.example/',
  zone: 'America/Toronto',
  people: [
    person('Ann Rider', 'harbour-cycles.example', 'owner'),
    person('Ben Costa', 'harbour-cycles.example', 'manager'),
  ],
  look: { ...LOOKS.sea, product: 'bicycle', name: 'HARBOUR CYCLES' },
  plans: [
    {
      name: 'City bikes',
      ago: { start: 60, end: -30 },
      fields: { dailySpend: 24, cpm: 6.5, pacing: 'asap', category: ['IAB17-3'] },
      place: 'CA-ON-Toronto',
      isSplit: true,
      ads: [
        { claim: 'Ride to work in twenty minutes', button: 'See bikes', appeal: 0.8 },
        { claim: 'Two weeks on trial', button: 'Try it free', appeal: 1.65, added: { ago: 41, by: 1 } },
        { claim: 'Built in our workshop', button: 'Visit us', appeal: 0.7 },
      ],
    },
    {
      name: 'Cargo bikes for families',
      ago: { start: 38, end: -45 },
      fields: { dailySpend: 20, cpm: 7.5, frequency: 8, category: ['IAB17-3'] },
      place: 'CA-ON-Hamilton',
      by: 1,
      ads: [{ claim: 'Room for two kids and the dog', button: 'Test ride' }],
    },
    {
      name: 'Helmets and lights',
      ago: { start: 24, end: -12 },
      fields: { dailySpend: 18, totalSpend: 600, cpm: 6, category: ['IAB17-3'] },
      place: 'CA-ON-Ottawa',
      product: 'helmet',
      ads: [{ claim: 'Be seen this autumn', button: 'Shop now', appeal: 1.1 }],
    },
    {
      name: 'Summer sale',
      ago: { start: 60, end: 33 },
      fields: { dailySpend: 16, cpm: 6, category: ['IAB17-3'] },
      place: 'CA-ON-London',
      ads: [{ claim: 'Up to 30% off last models', button: 'To the sale', appeal: 1.2 }],
    },
    {
      name: 'Service weeks',
      ago: { start: 6, end: -20 },
      fields: { dailySpend: 15, cpm: 3, category: ['IAB17-3'] },
      place: 'CA-ON-Toronto',
      by: 1,
      use: 0,
      ads: [{ claim: 'Full service for $59', button: 'Book now' }],
    },
    {
      name: 'Winter tyres',
      ago: { start: -9, end: -50 },
      fields: { dailySpend: 30, cpm: 6, category: ['IAB17-3'] },
      place: 'CA-ON',
      ads: [{ claim: 'Grip for every morning', button: 'See tyres' }],
    },
  ],
  edits: [
    { ago: 52.6, by: 1, campaign: 'City bikes', set: { cpm: 6.8 } },
    { ago: 44.3, by: 0, campaign: 'City bikes', set: { dailySpend: 28 } },
    { ago: 40.2, by: 1, campaign: 'Summer sale', set: { dailySpend: 18 } },
    { ago: 29.4, by: 1, campaign: 'City bikes', set: { cpm: 7 } },
    { ago: 21.1, by: 0, campaign: 'Cargo bikes for families', set: { frequency: 6 } },
    { ago: 12.7, by: 1, campaign: 'Helmets and lights', set: { totalSpend: 700 } },
    { ago: 5.4, by: 0, campaign: 'Cargo bikes for families', set: { dailySpend: 22 } },
    { ago: 2.2, by: 1, campaign: 'Helmets and lights', set: { dailySpend: 20 } },
  ],
  notes: [
    { ago: 27, text: 'Bike fair in Toronto' },
    { ago: 11, text: 'Newsletter to all customers' },
  ],
  views: [
    { name: 'Spend by site', range: '28d', dimension: 'domain' },
    { name: 'Sales by city, this month', range: 'month', figure: 'value', dimension: 'city' },
  ],
}

const NORTHERN: Shop = {
  company: 'Northern Coffee',
  website: 'https://northern-coffee.example/',
  zone: 'America/New_York',
  isPrepaid: true,
  people: [
    person('Tom Baker', 'northern-coffee.example', 'owner'),
    person('Sue Lindqvist', 'northern-coffee.example', 'editor'),
  ],
  look: { ...LOOKS.roast, product: 'cup', name: 'NORTHERN COFFEE' },
  plans: [
    {
      name: 'Morning roast',
      ago: { start: 57, end: -60 },
      fields: { dailySpend: 18, cpm: 6.4, frequency: 6, category: ['IAB8'] },
      place: 'US-NY-New York',
      isSplit: true,
      ads: [
        { claim: 'Fresh from our own roastery', button: 'Order', appeal: 0.9 },
        { claim: 'First bag at half price', button: 'Claim it', appeal: 1.4, added: { ago: 30, by: 1 } },
      ],
    },
    {
      name: 'Gift boxes',
      ago: { start: 26, end: -35 },
      fields: { dailySpend: 15, cpm: 7, category: ['IAB8'] },
      place: 'US-MA-Boston',
      ads: [{ claim: 'Six roasts for the holidays', button: 'Send a gift' }],
    },
    {
      name: 'Subscriptions',
      ago: { start: 20, end: -60 },
      fields: { dailySpend: 25, cpm: 6, enabled: false, category: ['IAB8'] },
      place: 'US-NY',
      by: 1,
      use: 0,
      ads: [{ claim: 'A new bag every second week', button: 'Subscribe' }],
    },
  ],
  edits: [
    { ago: 43.6, by: 0, campaign: 'Morning roast', set: { dailySpend: 20 } },
    { ago: 18.5, by: 0, campaign: 'Gift boxes', set: { cpm: 7.4 } },
    { ago: 9.2, by: 1, campaign: 'Morning roast', set: { frequency: 5 } },
    { ago: 0.3, by: 1, campaign: 'Gift boxes', set: { dailySpend: 25 }, proposed: true },
  ],
  notes: [{ ago: 14, text: 'New prices in the shop' }],
  views: [{ name: 'Sales by device', range: '28d', figure: 'value', dimension: 'device' }],
}

/** A shop with one campaign that somebody started `start` days ago. */
function small(
  company: string,
  owner: string,
  look: Omit<Look, 'name'>,
  start: number,
  [dailySpend, cpm, appeal, place]: [number, number, number, string],
  [name, claim, button]: [string, string, string],
): Shop {
  const domain = `${company.toLowerCase().replaceAll(' ', '-')}.example`
  return {
    company,
    website: `https://${domain}/`,
    zone: 'America/New_York',
    people: [person(owner, domain, 'owner')],
    look: { ...look, name: company.toUpperCase() },
    plans: [
      {
        name,
        ago: { start, end: -40 },
        fields: { dailySpend, cpm },
        place,
        ads: [{ claim, button, appeal }],
      },
    ],
  }
}

export const ALDER = small(
  'Alder Books',
  'Mia Alder',
  { ...LOOKS.paper, product: 'books' },
  34,
  [15, 5, 0.75, 'US-IL-Chicago'],
  ['Autumn reading', 'Stories for long evenings', 'Browse'],
)
export const DAISY = {
  ...small(
    'Daisy Flowers',
    'Lea Novak',
    { ...LOOKS.rose, product: 'flowers' },
    22,
    [15, 6.5, 1.15, 'US-GA-Atlanta'],
    ['Same day bouquets', 'Ordered by two, there by six', 'Send flowers'],
  ),
  isPrepaid: true,
}
export const GROVE = small(
  'Grove Optics',
  'Ivo Grove',
  { ...LOOKS.ink, product: 'glasses' },
  27,
  [18, 7.5, 1.3, 'US-CO-Denver'],
  ['Reading glasses', 'Try five pairs at home', 'Choose frames'],
)
const FERN = small(
  'Fern Outdoor',
  'Kim Fern',
  { ...LOOKS.forest, product: 'tent' },
  36,
  [20, 7, 1.1, 'US-WA-Seattle'],
  ['Tents', 'Dry in any weather', 'See tents'],
)
const VIOLET = small(
  'Violet Yoga',
  'Eva Brandt',
  { ...LOOKS.violet, product: 'lotus' },
  50,
  [15, 5, 0.65, 'US-TX-Austin'],
  ['First class free', 'Your first class is free', 'Join us'],
)
const JUNIPER = small(
  'Juniper Tea',
  'Max Hill',
  { ...LOOKS.mint, product: 'teapot' },
  31,
  [15, 4.5, 0.85, 'US-OR-Portland'],
  ['Winter blends', 'Warm hands and calm evenings', 'Taste it'],
)

/** The first one is whom the demo signs in. */
export const SHOPS: Shop[] = [
  HARBOUR,
  NORTHERN,
  ALDER,
  small(
    'Birch and Beam',
    'Nora Beam',
    { ...LOOKS.wood, product: 'chair' },
    29,
    [24, 8, 1.45, 'US-PA-Philadelphia'],
    ['Armchairs', 'Sit down. Stay a while.', 'See chairs'],
  ),
  DAISY,
  small(
    'Elm Street Bakery',
    'Joe Elm',
    { ...LOOKS.crust, product: 'loaf' },
    19,
    [15, 4, 0.7, 'US-MN-Minneapolis'],
    ['Party platters', 'Fresh bread for your party', 'Order today'],
  ),
  {
    ...FERN,
    plans: [
      ...FERN.plans,
      {
        ...FERN.plans[0]!,
        ...{ name: 'Arctic tours', ago: { start: 12, end: -30 }, place: 'CA-NU', use: 0 },
        ads: [{ claim: 'A week under northern lights', button: 'Book a tour' }],
      },
    ],
  },
  GROVE,
  JUNIPER,
  small(
    'Maple Sneakers',
    'Ada Roy',
    { ...LOOKS.maple, product: 'shoe' },
    16,
    [28, 6.5, 1.2, 'CA-BC-Vancouver'],
    ['Runners', 'Made for wet streets', 'Find your size'],
  ),
  { ...VIOLET, plans: [{ ...VIOLET.plans[0]!, ago: { start: 50, end: 3 } }] },
]
