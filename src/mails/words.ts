// What mails say, in the languages of customers. Figures, dates and ids only: no customer wrote a word in a mail.

import type { MailKind } from './contract.ts'

export type MailLanguage = 'en' | 'de'

export interface MailWords {
  kind: Record<MailKind, string>
  hello: string
  reportSubject: Record<'daily' | 'weekly', (period: string) => string>
  figure: Record<'imps' | 'clicks' | 'actions' | 'spend' | 'ctr' | 'cnvr', string>
  before: Record<'daily' | 'weekly', string>
  byCampaign: string
  campaign: (cid: number) => string
  more: (count: number) => string
  zone: (zone: string) => string
  rejectedSubject: (count: number) => string
  rejected: (bid: number, cid: number) => string
  rejectedAbout: string
  spentSubject: (count: number) => string
  spent: (cid: number, budget: string, day: string) => string
  spentAbout: string
  stoppedSubject: (count: number) => string
  stopped: (cid: number, since: string) => string
  stoppedAbout: string
  open: string
  why: (title: string) => string
  switchOff: string
  offTitle: string
  offAsk: (kind: string) => string
  offYes: string
  offDone: (kind: string) => string
  offAgain: string
  offUnknown: string
}

const en: MailWords = {
  kind: {
    report: 'reports',
    bannerRejected: 'mails about rejected banners',
    budgetSpent: 'mails about spent budgets',
    stopped: 'mails about campaigns that stopped delivering',
  },
  hello: 'Hello,',
  reportSubject: {
    daily: period => `Your figures for ${period}`,
    weekly: period => `Your figures for the week ${period}`,
  },
  figure: {
    imps: 'Impressions',
    clicks: 'Clicks',
    actions: 'Actions',
    spend: 'Spend',
    ctr: 'Click rate',
    cnvr: 'Conversion rate',
  },
  before: { daily: 'The day before', weekly: 'The week before' },
  byCampaign: 'By campaign',
  campaign: cid => `Campaign ${cid}`,
  more: count => `and ${count} more`,
  zone: zone => `Days are in the time zone ${zone}.`,
  rejectedSubject: count => (count === 1 ? 'A banner was rejected' : `${count} banners were rejected`),
  rejected: (bid, cid) => `Banner ${bid} of campaign ${cid} was rejected and is not shown.`,
  rejectedAbout: 'The reasons are shown beside the banner.',
  spentSubject: count =>
    count === 1
      ? 'A campaign has spent its budget for the day'
      : `${count} campaigns have spent their budget for the day`,
  spent: (cid, budget, day) => `Campaign ${cid} has spent its budget of ${budget} for ${day}.`,
  spentAbout: 'It continues the next day. With a larger daily budget it would continue today.',
  stoppedSubject: count =>
    count === 1 ? 'A campaign has stopped delivering' : `${count} campaigns have stopped delivering`,
  stopped: (cid, since) => `Campaign ${cid} is running but has delivered nothing since ${since}.`,
  stoppedAbout: 'Its page says why ads are not served.',
  open: 'Open',
  why: title => `You get this mail from ${title}, where your campaigns run.`,
  switchOff: 'Switch off these mails',
  offTitle: 'Mails',
  offAsk: kind => `Do you want no more ${kind}?`,
  offYes: 'Switch them off',
  offDone: kind => `You get no more ${kind}.`,
  offAgain: 'You can switch them on again on your account page.',
  offUnknown: 'This link is incomplete. Please open it exactly as it appears in the mail.',
}

const de: MailWords = {
  kind: {
    report: 'Berichte',
    bannerRejected: 'E-Mails über abgelehnte Banner',
    budgetSpent: 'E-Mails über ausgegebene Budgets',
    stopped: 'E-Mails über Kampagnen, die nicht mehr ausliefern',
  },
  hello: 'Guten Tag,',
  reportSubject: {
    daily: period => `Ihre Zahlen vom ${period}`,
    weekly: period => `Ihre Zahlen der Woche ${period}`,
  },
  figure: {
    imps: 'Einblendungen',
    clicks: 'Klicks',
    actions: 'Aktionen',
    spend: 'Ausgaben',
    ctr: 'Klickrate',
    cnvr: 'Konversionsrate',
  },
  before: { daily: 'Am Tag davor', weekly: 'In der Woche davor' },
  byCampaign: 'Nach Kampagnen',
  campaign: cid => `Kampagne ${cid}`,
  more: count => `und ${count} weitere`,
  zone: zone => `Die Tage sind die der Zeitzone ${zone}.`,
  rejectedSubject: count => (count === 1 ? 'Ein Banner wurde abgelehnt' : `${count} Banner wurden abgelehnt`),
  rejected: (bid, cid) => `Banner ${bid} der Kampagne ${cid} wurde abgelehnt und wird nicht gezeigt.`,
  rejectedAbout: 'Die Gründe stehen beim Banner.',
  spentSubject: count =>
    count === 1
      ? 'Eine Kampagne hat ihr Tagesbudget ausgegeben'
      : `${count} Kampagnen haben ihr Tagesbudget ausgegeben`,
  spent: (cid, budget, day) => `Kampagne ${cid} hat ihr Budget von ${budget} für den ${day} ausgegeben.`,
  spentAbout: 'Am nächsten Tag geht es weiter. Mit einem höheren Tagesbudget ginge es schon heute weiter.',
  stoppedSubject: count =>
    count === 1 ? 'Eine Kampagne liefert nicht mehr aus' : `${count} Kampagnen liefern nicht mehr aus`,
  stopped: (cid, since) => `Kampagne ${cid} läuft, hat aber seit ${since} nichts ausgeliefert.`,
  stoppedAbout: 'Auf ihrer Seite steht, warum keine Anzeigen ausgeliefert werden.',
  open: 'Öffnen',
  why: title => `Diese E-Mail kommt von ${title}, wo Ihre Kampagnen laufen.`,
  switchOff: 'Solche E-Mails abschalten',
  offTitle: 'E-Mails',
  offAsk: kind => `Möchten Sie keine ${kind} mehr?`,
  offYes: 'Abschalten',
  offDone: kind => `Sie bekommen keine ${kind} mehr.`,
  offAgain: 'Auf der Seite Ihres Kontos können Sie sie wieder einschalten.',
  offUnknown: 'Dieser Link ist nicht vollständig. Bitte öffnen Sie ihn so, wie er in der E-Mail steht.',
}

export const MAIL_WORDS: Record<MailLanguage, MailWords> = { en, de }

export function mailFormat(language: MailLanguage, zone: string, currency: string) {
  const number = new Intl.NumberFormat(language)
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 })
  const money = new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 6 })
  const day = new Intl.DateTimeFormat(language, { timeZone: zone, dateStyle: 'long' })
  const time = new Intl.DateTimeFormat(language, { timeZone: zone, dateStyle: 'medium', timeStyle: 'short' })
  return {
    count: (value: number) => number.format(value),
    ratio: (value: number) => percent.format(value),
    money: (value: number) => money.format(value),
    day: (timeS: number) => day.format(timeS * 1000),
    /** From the first day to the last; `endS` is the end of the last. */
    days: (startS: number, endS: number) => day.formatRange(startS * 1000, endS * 1000 - 1),
    time: (timeS: number) => `${time.format(timeS * 1000)} (${zone})`,
    /** `20261115`, in whichever zone. */
    dayOfKey: (key: number) =>
      new Intl.DateTimeFormat(language, { timeZone: 'UTC', dateStyle: 'long' }).format(
        Date.UTC(Math.floor(key / 10_000), (Math.floor(key / 100) % 100) - 1, key % 100),
      ),
  }
}
