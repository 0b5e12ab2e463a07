// The texts of emails, in the languages of customers. They contain only figures, dates, ids, email addresses and plain
// names (`identity/who-in-mail.ts`), never text that a customer wrote, except the reason of a colleague who declined a
// proposal.

import type { IssueCode } from '../../diagnose/issues/contract.ts'
import { type AccessFact, shortKey, type Who } from '../../identity/who-in-mail.ts'
import type { BudgetField } from '../../kernel/costs-more.ts'
import { ROLES } from '../../kernel/permissions.ts'
import type { MailKind } from './contract.ts'

export type MailLanguage = 'en' | 'de'

/** The issues that a customer can mend, the worst first. */
export const TO_DO = [
  'frozen',
  'balance_spent',
  'total_spent',
  'no_persona',
  'personas_paused',
  'no_banner',
  'banners_paused',
  'banner_rejected',
  'landing_page',
  'place_unknown',
  'no_request_fits',
  'below_floors',
  'mostly_outbid',
  'mostly_blocked',
  'mostly_capped',
] as const satisfies readonly IssueCode[]
type ToDo = (typeof TO_DO)[number]

interface RaisedBudget {
  campaign: string
  fid: number | null
  field: BudgetField
}

export interface MailWords {
  kind: Record<MailKind, string>
  hello: string
  reportSubject: Record<'daily' | 'weekly', (period: string) => string>
  figure: Record<'imps' | 'clicks' | 'actions' | 'spend' | 'ctr' | 'cnvr' | 'value' | 'roas', string>
  before: Record<'daily' | 'weekly', string>
  byCampaign: string
  toDoFirst: string
  toDo: (code: ToDo, campaign: string) => string
  /** Of its name, or its id if the name is not shown. */
  campaign: (campaign: string) => string
  quoted: (name: string) => string
  more: (count: number) => string
  zone: (zone: string) => string
  rejectedSubject: (count: number) => string
  rejected: (bid: number, campaign: string) => string
  rejectedAbout: string
  spentSubject: (count: number) => string
  spent: (campaign: string, budget: string, day: string) => string
  spentAbout: string
  balanceSubject: Record<'low' | 'spent', string>
  balance: Record<'low' | 'spent', (balance: string) => string>
  balanceAbout: Record<'low' | 'spent', string>
  proposedSubject: (count: number) => string
  proposed: (campaign: string, most: string) => string
  proposedNew: (most: string) => string
  proposedAbout: string
  decidedOne: Record<'approved' | 'declined', string>
  decidedSeveral: (count: number) => string
  decided: Record<'approved' | 'declined', (id: number, campaign: string | null) => string>
  /** Null: the reason is not shown here. */
  reason: (reason: string | null) => string
  totalSubject: (count: number) => string
  month: (campaign: string, budget: string) => string
  total: (campaign: string, budget: string) => string
  flight: (fid: number, campaign: string, budget: string) => string
  totalAbout: string
  stoppedSubject: (count: number) => string
  stopped: (campaign: string, since: string) => string
  /** `code`: the finding. */
  stalled: (campaign: string, code: string) => string
  stoppedAbout: string
  raisedSubject: (count: number) => string
  raised: (budget: RaisedBudget, before: string, after: string | null) => string
  raisedAbout: string
  accessSubject: Record<AccessFact['what'] | 'several', string>
  access: (fact: AccessFact) => string
  accessAbout: string
  thresholdSubject: Record<'spend' | 'balance' | 'pace' | 'several', string>
  overSpend: (spend: string, limit: string, day: string) => string
  balanceDays: (balance: string, days: number) => string
  paceLag: (campaign: string, spend: string, budget: string, day: string) => string
  thresholdAbout: string
  viewSubject: (name: string | null, period: string) => string
  viewBefore: string
  change: string
  viewAttached: string
  viewFile: string
  viewName: string
  viewCode: string
  day: string
  others: string
  unknown: string
  by: (who: Who, title: string) => string
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

const STALLED_EN: Record<string, string> = {
  no_request_fits: 'no ad request of the last day fits it',
  below_floors: 'nearly all ad requests that fit cost more than it offers',
  mostly_blocked: 'most publishers block it',
  mostly_capped: 'nearly all its visitors have seen it often enough or are not known',
  mostly_outbid: 'other campaigns offer more for nearly all ad requests that fit',
}

const STALLED_DE: Record<string, string> = {
  no_request_fits: 'keine Anfrage des letzten Tages passt zu ihr',
  below_floors: 'fast alle passenden Anfragen kosten mehr, als sie bietet',
  mostly_blocked: 'die meisten Publisher sperren sie',
  mostly_capped: 'fast alle Besucher haben sie oft genug gesehen oder sind unbekannt',
  mostly_outbid: 'andere Kampagnen bieten für fast alle passenden Anfragen mehr',
}

const TO_DO_EN: Record<ToDo, (campaign: string) => string> = {
  frozen: () => 'Your account is frozen, and nothing is delivered. Unfreeze it when all is well.',
  balance_spent: () => 'Your balance is spent, and nothing is delivered. Top it up.',
  total_spent: campaign =>
    `Campaign ${campaign} has spent its total budget. Raise it, or let the campaign end.`,
  no_persona: campaign => `Campaign ${campaign} has no persona: nobody is meant to see it. Add one.`,
  personas_paused: campaign => `All personas of campaign ${campaign} are paused. Resume one.`,
  no_banner: campaign => `Campaign ${campaign} has a persona without a banner. Upload one.`,
  banners_paused: campaign => `All banners of a persona of campaign ${campaign} are paused. Resume one.`,
  banner_rejected: campaign => `A banner of campaign ${campaign} was rejected. See why, and replace it.`,
  landing_page: campaign =>
    `Something is wrong with a page where clicks on campaign ${campaign} lead. Look at its address.`,
  place_unknown: campaign =>
    `A place in campaign ${campaign} is not known, and may be misspelled. Correct it.`,
  no_request_fits: campaign => `Campaign ${campaign} fits no ad request. Widen its places or devices.`,
  below_floors: campaign => `Nearly all places cost more than campaign ${campaign} offers. Raise its price.`,
  mostly_outbid: campaign => `Campaign ${campaign} is nearly always outbid. Raise its price.`,
  mostly_blocked: campaign =>
    `Most publishers block campaign ${campaign}. Check its categories and its address.`,
  mostly_capped: campaign =>
    `Nearly all visitors have seen campaign ${campaign} often enough. Show it to more people.`,
}

const TO_DO_DE: Record<ToDo, (campaign: string) => string> = {
  frozen: () =>
    'Ihr Konto ist eingefroren, nichts wird ausgeliefert. Heben Sie das auf, wenn alles in Ordnung ist.',
  balance_spent: () => 'Ihr Guthaben ist verbraucht, nichts wird ausgeliefert. Laden Sie es auf.',
  total_spent: campaign =>
    `Kampagne ${campaign} hat ihr Gesamtbudget aufgebraucht. Erhöhen Sie es, oder lassen Sie sie enden.`,
  no_persona: campaign =>
    `Kampagne ${campaign} hat keine Persona: Niemand soll sie sehen. Legen Sie eine an.`,
  personas_paused: campaign => `Alle Personas der Kampagne ${campaign} pausieren. Setzen Sie eine fort.`,
  no_banner: campaign => `Kampagne ${campaign} hat eine Persona ohne Banner. Laden Sie eines hoch.`,
  banners_paused: campaign =>
    `Alle Banner einer Persona der Kampagne ${campaign} pausieren. Setzen Sie eines fort.`,
  banner_rejected: campaign =>
    `Ein Banner der Kampagne ${campaign} wurde abgelehnt. Lesen Sie, warum, und ersetzen Sie es.`,
  landing_page: campaign =>
    `Mit einer Seite, auf die Klicks auf Kampagne ${campaign} führen, stimmt etwas nicht. Prüfen Sie ihre Adresse.`,
  place_unknown: campaign =>
    `Ein Ort der Kampagne ${campaign} ist unbekannt und vielleicht falsch geschrieben. Berichtigen Sie ihn.`,
  no_request_fits: campaign =>
    `Auf Kampagne ${campaign} passt keine Anfrage. Erweitern Sie ihre Orte oder Geräte.`,
  below_floors: campaign =>
    `Fast alle Plätze kosten mehr, als Kampagne ${campaign} bietet. Erhöhen Sie ihren Preis.`,
  mostly_outbid: campaign => `Kampagne ${campaign} wird fast immer überboten. Erhöhen Sie ihren Preis.`,
  mostly_blocked: campaign =>
    `Die meisten Publisher sperren Kampagne ${campaign}. Prüfen Sie ihre Kategorien und ihre Adresse.`,
  mostly_capped: campaign =>
    `Fast alle Besucher haben Kampagne ${campaign} oft genug gesehen. Zeigen Sie sie mehr Menschen.`,
}

const ofCampaign = (campaign: string | null) =>
  campaign === null ? ' for a new campaign' : ` for campaign ${campaign}`
const zuKampagne = (campaign: string | null) =>
  campaign === null ? ' für eine neue Kampagne' : ` zur Kampagne ${campaign}`

const en: MailWords = {
  kind: {
    report: 'reports',
    bannerRejected: 'emails about rejected banners',
    budgetSpent: 'emails about spent budgets',
    daySpent: 'emails about spent daily budgets',
    balance: 'emails about your balance',
    proposals: 'emails about proposals',
    stopped: 'emails about campaigns that stopped delivering',
    budgetRaised: 'emails about raised budgets',
    access: 'emails about access to your account',
    savedView: 'this saved view by email',
    decisions: 'emails about decisions on your proposals',
    threshold: 'emails about your own thresholds',
  },
  hello: 'Hello,',
  reportSubject: {
    daily: period => `Your figures for ${period}`,
    weekly: period => `Your figures for the week of ${period}`,
  },
  figure: {
    imps: 'Impressions',
    clicks: 'Clicks',
    actions: 'Actions',
    spend: 'Spend',
    ctr: 'Click-through rate',
    cnvr: 'Conversion rate',
    value: 'Value of actions',
    roas: 'Return on spend',
  },
  before: { daily: 'Previous day', weekly: 'Previous week' },
  byCampaign: 'By campaign',
  toDoFirst: 'What to do first',
  toDo: (code, campaign) => TO_DO_EN[code](campaign),
  campaign: campaign => `Campaign ${campaign}`,
  quoted: name => `“${name}”`,
  more: count => `and ${count} more`,
  zone: zone => `Time zone: ${zone}`,
  rejectedSubject: count => (count === 1 ? 'A banner was rejected' : `${count} banners were rejected`),
  rejected: (bid, campaign) => `Banner ${bid} in campaign ${campaign} was rejected and will not be shown.`,
  rejectedAbout: 'Open the banner to see why.',
  spentSubject: count =>
    count === 1
      ? 'A campaign has spent its daily budget'
      : `${count} campaigns have spent their daily budgets`,
  spent: (campaign, budget, day) => `Campaign ${campaign} has spent its ${budget} budget for ${day}.`,
  spentAbout: 'Delivery resumes the next day. To resume today, raise the daily budget.',
  balanceSubject: { low: 'Your balance is low', spent: 'Your balance is spent' },
  balance: {
    low: balance => `Your balance is down to ${balance}.`,
    spent: balance => `Your balance of ${balance} no longer pays for an impression.`,
  },
  balanceAbout: {
    low: 'Your campaigns stop when it is spent. Top it up in time.',
    spent: 'Your campaigns have stopped. They continue as soon as your balance is topped up.',
  },
  proposedSubject: count =>
    count === 1 ? 'A change is waiting for your decision' : `${count} changes are waiting for your decision`,
  proposed: (campaign, most) =>
    `A change to campaign ${campaign} was proposed. It can cost up to ${most} more.`,
  proposedNew: most => `A new campaign was proposed. It can cost up to ${most}.`,
  proposedAbout: 'Nothing changes until you approve it. After 7 days it expires.',
  decidedOne: { approved: 'Your proposal was approved', declined: 'Your proposal was declined' },
  decidedSeveral: count => `${count} of your proposals were decided`,
  decided: {
    approved: (id, campaign) => `Your proposal ${id}${ofCampaign(campaign)} was approved and is in effect.`,
    declined: (id, campaign) =>
      `Your proposal ${id}${ofCampaign(campaign)} was declined. Nothing was changed.`,
  },
  reason: reason => (reason === null ? 'The reason is in the console.' : `Reason: “${reason}”`),
  totalSubject: count =>
    count === 1 ? 'A campaign has spent its budget' : `${count} campaigns have spent their budgets`,
  month: (campaign, budget) =>
    `Campaign ${campaign} has spent its monthly budget of ${budget}. Delivery resumes on the first of the month.`,
  total: (campaign, budget) => `Campaign ${campaign} has spent its total budget of ${budget}.`,
  flight: (fid, campaign, budget) =>
    `Flight ${fid} of campaign ${campaign} has spent its total budget of ${budget}.`,
  totalAbout:
    'A spent total budget ends delivery; that of a flight ends it until the next flight. To resume, raise it.',
  stoppedSubject: count =>
    count === 1 ? 'A campaign has stopped delivering' : `${count} campaigns have stopped delivering`,
  stopped: (campaign, since) => `Campaign ${campaign} is running but has delivered nothing since ${since}.`,
  stalled: (campaign, code) =>
    `Campaign ${campaign} is running, but ${STALLED_EN[code] ?? 'hardly any of its ads are shown'}.`,
  stoppedAbout: 'Open the campaign to see why.',
  raisedSubject: count =>
    count === 1 ? 'A budget was raised sharply' : `${count} budgets were raised sharply`,
  raised: ({ campaign, fid, field }, before, after) => {
    const whose = fid === null ? `campaign ${campaign}` : `flight ${fid} of campaign ${campaign}`
    const which = `The ${{ dailySpend: 'daily', monthlySpend: 'monthly', totalSpend: 'total' }[field]} budget of ${whose}`
    return after === null
      ? `${which} was ${before}, and was removed.`
      : `${which} was raised from ${before} to ${after}.`
  },
  raisedAbout: 'If this was not intended, lower it, or freeze the account: that stops everything at once.',
  accessSubject: {
    member: 'A person was added to your account',
    key: 'A key was created for your account',
    network: 'A key was used from a new network',
    several: 'News about access to your account',
  },
  access: ({ what, email, role, key, scope }) =>
    what === 'member'
      ? `${email} now works for your account with the role ${role}.`
      : what === 'key'
        ? `The key ${shortKey(key!)} with the scope ${scope} was created.`
        : `The key ${shortKey(key!)} with the scope ${scope} was used from a new network.`,
  accessAbout:
    'If you did not expect this, remove the person or revoke the key in your account, or freeze it.',
  thresholdSubject: {
    spend: 'Your campaigns have passed your limit for a day',
    balance: 'Your balance will not last long',
    pace: 'Campaigns spent less than you expect',
    several: 'Thresholds that you set were passed',
  },
  overSpend: (spend, limit, day) => `Your campaigns have spent ${spend} on ${day}, more than ${limit}.`,
  balanceDays: (balance, days) =>
    days === 0
      ? `Your balance of ${balance} lasts for less than a day.`
      : `Your balance of ${balance} lasts for about ${days} ${days === 1 ? 'day' : 'days'}.`,
  paceLag: (campaign, spend, budget, day) =>
    `Campaign ${campaign} spent ${spend} of its daily budget of ${budget} on ${day}.`,
  thresholdAbout: 'You set these thresholds yourself, and can change them in your account.',
  viewSubject: (name, period) => `${name ?? 'Saved view'}: ${period}`,
  viewBefore: 'Before',
  change: 'Change',
  viewAttached: 'The attached file has the details and opens in a spreadsheet.',
  viewFile: 'statistics',
  viewName: 'Name',
  viewCode: 'Id or code',
  day: 'Day',
  others: 'All others',
  unknown: 'Unknown',
  by: ({ kind, name, isStaff }, title) => {
    if (kind === 'person')
      return `By ${name ?? 'a person in the console'}${isStaff ? `, staff of ${title}` : ''}.`
    if (kind === 'key') return name === null ? 'By a program with a key.' : `By the key “${name}”.`
    return `By ${title}.`
  },
  open: 'Open',
  why: title => `You are receiving this email because your campaigns run on ${title}.`,
  switchOff: 'Unsubscribe from these emails',
  offTitle: 'Email preferences',
  offAsk: kind => `Stop receiving ${kind}?`,
  offYes: 'Unsubscribe',
  offDone: kind => `You will no longer receive ${kind}.`,
  offAgain: 'You can turn them back on in your account.',
  offUnknown: 'This link is incomplete. Please open it exactly as it appears in the email.',
}

/** In the order of `ROLES`. */
const ROLLEN = ['Leser', 'Bearbeiter', 'Manager', 'Inhaber']
const UMFANG = { read: 'Lesen', propose: 'Vorschlagen', spend: 'Ausgeben', all: 'alles' }

const de: MailWords = {
  kind: {
    report: 'Berichte',
    bannerRejected: 'E-Mails zu abgelehnten Bannern',
    budgetSpent: 'E-Mails zu aufgebrauchten Budgets',
    daySpent: 'E-Mails zu aufgebrauchten Tagesbudgets',
    balance: 'E-Mails zu Ihrem Guthaben',
    proposals: 'E-Mails zu Vorschlägen',
    stopped: 'E-Mails zu unterbrochener Auslieferung',
    budgetRaised: 'E-Mails zu erhöhten Budgets',
    access: 'E-Mails zum Zugang zu Ihrem Konto',
    savedView: 'E-Mails mit dieser Ansicht',
    decisions: 'E-Mails zu Entscheidungen über Ihre Vorschläge',
    threshold: 'E-Mails zu Ihren eigenen Schwellen',
  },
  hello: 'Guten Tag,',
  reportSubject: {
    daily: period => `Ihre Zahlen vom ${period}`,
    weekly: period => `Ihre Zahlen für die Woche vom ${period}`,
  },
  figure: {
    imps: 'Impressionen',
    clicks: 'Klicks',
    actions: 'Aktionen',
    spend: 'Ausgaben',
    ctr: 'Klickrate',
    cnvr: 'Conversion-Rate',
    value: 'Wert der Aktionen',
    roas: 'Ertrag je Ausgabe',
  },
  before: { daily: 'Vortag', weekly: 'Vorwoche' },
  byCampaign: 'Nach Kampagne',
  toDoFirst: 'Was zuerst zu tun ist',
  toDo: (code, campaign) => TO_DO_DE[code](campaign),
  campaign: campaign => `Kampagne ${campaign}`,
  quoted: name => `„${name}“`,
  more: count => `und ${count} weitere`,
  zone: zone => `Zeitzone: ${zone}`,
  rejectedSubject: count => (count === 1 ? 'Ein Banner wurde abgelehnt' : `${count} Banner wurden abgelehnt`),
  rejected: (bid, campaign) =>
    `Banner ${bid} der Kampagne ${campaign} wurde abgelehnt und wird nicht gezeigt.`,
  rejectedAbout: 'Die Gründe finden Sie beim Banner.',
  spentSubject: count =>
    count === 1
      ? 'Eine Kampagne hat ihr Tagesbudget aufgebraucht'
      : `${count} Kampagnen haben ihr Tagesbudget aufgebraucht`,
  spent: (campaign, budget, day) =>
    `Kampagne ${campaign} hat ihr Budget von ${budget} für den ${day} aufgebraucht.`,
  spentAbout: 'Die Auslieferung geht am nächsten Tag weiter, mit einem höheren Tagesbudget schon heute.',
  balanceSubject: { low: 'Ihr Guthaben geht zur Neige', spent: 'Ihr Guthaben ist verbraucht' },
  balance: {
    low: balance => `Ihr Guthaben beträgt nur noch ${balance}.`,
    spent: balance => `Ihr Guthaben von ${balance} reicht für keine Impression mehr.`,
  },
  balanceAbout: {
    low: 'Ist es verbraucht, werden Ihre Kampagnen nicht mehr ausgeliefert. Laden Sie es rechtzeitig auf.',
    spent: 'Ihre Kampagnen werden nicht mehr ausgeliefert. Sobald Sie es aufladen, geht es weiter.',
  },
  proposedSubject: count =>
    count === 1 ? 'Eine Änderung wartet auf Sie' : `${count} Änderungen warten auf Sie`,
  proposed: (campaign, most) =>
    `Für Kampagne ${campaign} wurde eine Änderung vorgeschlagen. Sie kostet höchstens ${most} mehr.`,
  proposedNew: most => `Eine neue Kampagne wurde vorgeschlagen. Sie kostet höchstens ${most}.`,
  decidedOne: { approved: 'Ihr Vorschlag wurde angenommen', declined: 'Ihr Vorschlag wurde abgelehnt' },
  decidedSeveral: count => `Über ${count} Ihrer Vorschläge wurde entschieden`,
  decided: {
    approved: (id, campaign) =>
      `Ihr Vorschlag ${id}${zuKampagne(campaign)} wurde angenommen und ist umgesetzt.`,
    declined: (id, campaign) =>
      `Ihr Vorschlag ${id}${zuKampagne(campaign)} wurde abgelehnt. Es wurde nichts geändert.`,
  },
  reason: reason => (reason === null ? 'Den Grund finden Sie in der Konsole.' : `Grund: „${reason}“`),
  proposedAbout: 'Solange Sie nicht zustimmen, ändert sich nichts. Nach 7 Tagen verfällt der Vorschlag.',
  totalSubject: count =>
    count === 1
      ? 'Eine Kampagne hat ihr Budget aufgebraucht'
      : `${count} Kampagnen haben ihr Budget aufgebraucht`,
  month: (campaign, budget) =>
    `Kampagne ${campaign} hat ihr Monatsbudget von ${budget} aufgebraucht. Die Auslieferung geht am Monatsersten weiter.`,
  total: (campaign, budget) => `Kampagne ${campaign} hat ihr Gesamtbudget von ${budget} aufgebraucht.`,
  flight: (fid, campaign, budget) =>
    `Flight ${fid} von Kampagne ${campaign} hat sein Gesamtbudget von ${budget} aufgebraucht.`,
  totalAbout:
    'Mit dem Gesamtbudget endet die Auslieferung, mit dem eines Flights bis zum nächsten Flight. Ein höheres Gesamtbudget setzt sie fort.',
  stoppedSubject: count =>
    count === 1
      ? 'Eine Kampagne wird nicht mehr ausgeliefert'
      : `${count} Kampagnen werden nicht mehr ausgeliefert`,
  stopped: (campaign, since) =>
    `Kampagne ${campaign} läuft, wurde aber seit ${since} nicht mehr ausgeliefert.`,
  stalled: (campaign, code) =>
    `Kampagne ${campaign} läuft, aber ${STALLED_DE[code] ?? 'kaum eine ihrer Anzeigen erscheint'}.`,
  stoppedAbout: 'Den Grund finden Sie auf der Seite der Kampagne.',
  raisedSubject: count =>
    count === 1 ? 'Ein Budget wurde stark erhöht' : `${count} Budgets wurden stark erhöht`,
  raised: ({ campaign, fid, field }, before, after) => {
    const whose = fid === null ? `von Kampagne ${campaign}` : `von Flight ${fid} der Kampagne ${campaign}`
    const which = `Das ${{ dailySpend: 'Tagesbudget', monthlySpend: 'Monatsbudget', totalSpend: 'Gesamtbudget' }[field]} ${whose}`
    return after === null
      ? `${which} betrug ${before} und wurde entfernt.`
      : `${which} wurde von ${before} auf ${after} erhöht.`
  },
  raisedAbout:
    'War das nicht beabsichtigt, senken Sie es, oder frieren Sie das Konto ein: Das hält sofort alles an.',
  accessSubject: {
    member: 'Eine Person hat Zugang zu Ihrem Konto erhalten',
    key: 'Für Ihr Konto wurde ein Schlüssel erstellt',
    network: 'Ein Schlüssel wurde in einem neuen Netz benutzt',
    several: 'Neues zum Zugang zu Ihrem Konto',
  },
  access: ({ what, email, role, key, scope }) =>
    what === 'member'
      ? `${email} arbeitet jetzt mit der Rolle ${ROLLEN[ROLES.indexOf(role!)]} an Ihrem Konto mit.`
      : what === 'key'
        ? `Der Schlüssel ${shortKey(key!)} (${UMFANG[scope!]}) wurde erstellt.`
        : `Der Schlüssel ${shortKey(key!)} (${UMFANG[scope!]}) wurde in einem neuen Netz benutzt.`,
  accessAbout:
    'Ist Ihnen das nicht bekannt, entfernen Sie die Person oder widerrufen Sie den Schlüssel in Ihrem Konto, oder frieren Sie es ein.',
  thresholdSubject: {
    spend: 'Ihre Kampagnen haben Ihre Schwelle für einen Tag überschritten',
    balance: 'Ihr Guthaben reicht nicht mehr lange',
    pace: 'Kampagnen haben weniger ausgegeben, als Sie erwarten',
    several: 'Von Ihnen gesetzte Schwellen sind erreicht',
  },
  overSpend: (spend, limit, day) =>
    `Ihre Kampagnen haben am ${day} schon ${spend} ausgegeben, mehr als ${limit}.`,
  balanceDays: (balance, days) =>
    days === 0
      ? `Ihr Guthaben von ${balance} reicht für weniger als einen Tag.`
      : `Ihr Guthaben von ${balance} reicht noch für etwa ${days} ${days === 1 ? 'Tag' : 'Tage'}.`,
  paceLag: (campaign, spend, budget, day) =>
    `Kampagne ${campaign} hat am ${day} von ihrem Tagesbudget von ${budget} nur ${spend} ausgegeben.`,
  thresholdAbout: 'Diese Schwellen haben Sie selbst gesetzt. Sie können sie in Ihrem Konto ändern.',
  viewSubject: (name, period) => `${name ?? 'Gespeicherte Ansicht'}: ${period}`,
  viewBefore: 'Davor',
  change: 'Änderung',
  viewAttached: 'Die angehängte Datei enthält die Einzelheiten und öffnet sich in einer Tabellenkalkulation.',
  viewFile: 'statistik',
  viewName: 'Name',
  viewCode: 'ID oder Code',
  day: 'Tag',
  others: 'Alle übrigen',
  unknown: 'Unbekannt',
  by: ({ kind, name, isStaff }, title) => {
    if (kind === 'person')
      return `Durch ${name ?? 'eine Person in der Konsole'}${isStaff ? `, Team von ${title}` : ''}.`
    if (kind === 'key')
      return name === null ? 'Durch ein Programm mit Schlüssel.' : `Durch den Schlüssel „${name}“.`
    return `Durch ${title}.`
  },
  open: 'Öffnen',
  why: title => `Sie erhalten diese E-Mail, weil Ihre Kampagnen bei ${title} laufen.`,
  switchOff: 'Diese E-Mails abbestellen',
  offTitle: 'E-Mail-Einstellungen',
  offAsk: kind => `${kind} abbestellen?`,
  offYes: 'Abbestellen',
  offDone: kind => `Sie erhalten keine ${kind} mehr.`,
  offAgain: 'In Ihrem Konto können Sie sie wieder einschalten.',
  offUnknown: 'Dieser Link ist unvollständig. Bitte öffnen Sie ihn genau so, wie er in der E-Mail steht.',
}

export const MAIL_WORDS: Record<MailLanguage, MailWords> = { en, de }

export function mailFormat(language: MailLanguage, zone: string, currency: string) {
  const number = new Intl.NumberFormat(language)
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 })
  const signed = new Intl.NumberFormat(language, {
    style: 'percent',
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  })
  const money = new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 6 })
  const day = new Intl.DateTimeFormat(language, { timeZone: zone, dateStyle: 'long' })
  const time = new Intl.DateTimeFormat(language, { timeZone: zone, dateStyle: 'medium', timeStyle: 'short' })
  return {
    count: (value: number) => number.format(value),
    change: (value: number) => signed.format(value),
    ratio: (value: number) => percent.format(value),
    money: (value: number) => money.format(value),
    day: (timeS: number) => day.format(timeS * 1000),
    /** The range from the first day to the last; `endS` is the end of the last. */
    days: (startS: number, endS: number) => day.formatRange(startS * 1000, endS * 1000 - 1),
    time: (timeS: number) => `${time.format(timeS * 1000)} (${zone})`,
    /** `20261115`, independent of the zone. */
    dayOfKey: (key: number) =>
      new Intl.DateTimeFormat(language, { timeZone: 'UTC', dateStyle: 'long' }).format(
        Date.UTC(Math.floor(key / 10_000), (Math.floor(key / 100) % 100) - 1, key % 100),
      ),
  }
}
