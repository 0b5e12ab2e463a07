// English: the shell, signing in, forms, tables, the overview; every other noun has a file of its own.

import { enAccount } from './en-account.ts'
import { enAgents } from './en-agents.ts'
import { enAnswers } from './en-answers.ts'
import { enAttributes } from './en-attributes.ts'
import { enBalance } from './en-balance.ts'
import { enBanners } from './en-banners.ts'
import { enBin } from './en-bin.ts'
import { enCampaigns } from './en-campaigns.ts'
import { enCockpit } from './en-cockpit.ts'
import { enColleagues } from './en-colleagues.ts'
import { enConversions } from './en-conversions.ts'
import { enCreated } from './en-created.ts'
import { enDoor } from './en-door.ts'
import { enEmpty } from './en-empty.ts'
import { enErrors } from './en-errors.ts'
import { enForms } from './en-forms.ts'
import { enNotes } from './en-notes.ts'
import { enOverview } from './en-overview.ts'
import { enPasskeys } from './en-passkeys.ts'
import { enPersonas } from './en-personas.ts'
import { enReview } from './en-review.ts'
import { enSandbox } from './en-sandbox.ts'
import { enSites } from './en-sites.ts'
import { enSources } from './en-sources.ts'
import { enStaff } from './en-staff.ts'
import { enStats } from './en-stats.ts'
import { enViews } from './en-views.ts'
import { enWork } from './en-work.ts'

export const en = {
  ...enAccount,
  ...enAgents,
  ...enAnswers,
  ...enBalance,
  ...enBanners,
  ...enBin,
  ...enCampaigns,
  ...enColleagues,
  ...enConversions,
  ...enCreated,
  ...enDoor,
  ...enEmpty,
  ...enErrors,
  ...enForms,
  ...enNotes,
  ...enOverview,
  ...enPasskeys,
  ...enPersonas,
  ...enReview,
  ...enSandbox,
  ...enSites,
  ...enAttributes,
  ...enSources,
  ...enStaff,
  ...enCockpit,
  ...enStats,
  ...enViews,
  ...enWork,
  'common.loading': 'Loading',
  'common.retry': 'Try again',
  'common.refused': 'That did not work',
  'common.requestId': 'Request {id}',
  'common.unreachableAbout': 'Nothing is lost. Check your connection and try again.',
  'common.notFound': 'Page not found',

  'shell.skip': 'Skip to content',
  'shell.menu': 'Menu',
  'shell.ownZone': 'Time zone of this service, for all customers: {zone}',
  'shell.navigation': 'Main',
  'shell.breadcrumbs': 'Breadcrumbs',
  'shell.account': 'Account',
  'shell.overview': 'Overview',
  'shell.campaigns': 'Campaigns',
  'shell.statistics': 'Statistics',
  'shell.customers': 'Customers',
  'shell.webhooks': 'Webhooks',
  'shell.openedAs': 'Acting as',
  'shell.closeCustomer': 'Back to customers',
  'shell.staff': 'App staff',
  'shell.signOut': 'Sign out',

  'ticket.title': 'Switch accounts?',
  'ticket.signedIn': 'You are signed in as {name}.',
  'ticket.about':
    'The link you followed signs you in to another account and ends this session. If you did not expect this, stay signed in.',
  'ticket.stay': 'Stay signed in',
  'ticket.replace': 'Switch accounts',

  'form.name': 'Name',
  'form.refused': 'Please check',
  'form.save': 'Save changes',
  'form.saved': 'Saved.',
  'form.cancel': 'Cancel',
  'form.close': 'Close',
  'form.more': 'More actions',
  'form.delete': 'Delete',
  'form.edit': 'Edit',
  'form.editNamed': 'Edit {name}',
  'form.deleteNamed': 'Delete {name}',
  'form.copy': 'Copy',
  'form.copied': 'Copied',
  'form.once': 'Copy this now|Copy these now',
  'form.onceAbout': 'It will not be shown again.|They will not be shown again.',
  'form.kept': 'I have saved it|I have saved them',
  'form.moreFields': 'More options',
  'form.fewerFields': 'Fewer options',
  'form.removeNamed': 'Remove {name}',

  'table.filters': 'Filters',
  'table.filtersUsed': '{count} filter|{count} filters',
  'table.noFilters': 'Clear filters',
  'table.columns': 'Columns',
  'table.atLeast': 'At least',
  'table.atMost': 'At most',
  'table.search': 'Search',
  'table.show': 'Rows to show',
  'table.range': 'Shift-click selects a range.',
  'table.rows': '{count} row|{count} rows',
  'table.chosen': '{count} selected|{count} selected',
  'table.byId': 'with the ID {id}',
  'table.yes': 'Yes',
  'table.no': 'No',
  'table.csv': 'CSV',
  'table.select': 'Select {name}',
  'table.selectAll': 'Select all',
  'table.actions': 'Actions',
  'table.dense': 'Compact rows',
  'table.total': 'Total of {count}|Total of {count}',

  'status.running': 'Running',
  'status.scheduled': 'Scheduled',
  'status.paused': 'Paused',
  'status.frozen': 'Frozen',
  'status.spent': 'Budget spent',
  'status.off_hours': 'Off hours',
  'spentBy.day': 'Budget spent',
  'spentBy.month': 'Month spent',
  'spentBy.total': 'Total spent',
  'spentBy.balance': 'Balance spent',
  'status.incomplete': 'Incomplete',
  'status.ended': 'Ended',
  'status.on': 'On',
  'status.unused': 'Not used',
  'status.off': 'Off',
  'status.waiting': 'Waiting',
  'status.delivered': 'Delivered',
  'status.failed': 'Failed',
  'status.pending': 'In review',
  'status.approved': 'Approved',
  'status.rejected': 'Rejected',

  'issue.no_persona': 'It has no persona, so it reaches no one.',
  'issue.personas_paused': 'All of its personas are paused.',
  'issue.no_banner': 'It has no banner to show.',
  'issue.banners_paused': 'All of its banners are paused.',
  'issue.attribute_unseen': 'No visit has what a persona targets:',
  'issue.place_unknown': 'A place is unknown; check the spelling:',
  'issue.banner_rejected': 'The banner was rejected:',
  'issue.landing_page': 'Something is wrong with the page where its clicks lead:',
  'issue.banner_pending': 'Its banners are still in review.',
  'issue.budget_spent': "Today's budget is spent. Delivery resumes tomorrow.",
  'issue.off_hours': 'It is outside its hours.',
  'issue.frozen': 'The account is frozen. Unfreeze it to resume delivery.',
  'issue.month_spent': 'The budget of this month is spent. Delivery resumes on the first of the month.',
  'issue.total_spent': 'The total budget is spent. Raise it to resume delivery.',
  'issue.balance_spent': 'The balance is spent. Delivery resumes when it is topped up.',
  'issue.ads_unseen': 'Most of its ads are never seen. Someone may be requesting ads without showing them.',
  'issue.too_many_unseen': 'One IP address requested more ads than allowed without showing them.',
  'issue.visitor_share': 'One IP address used up its share of the daily budget.',
  'issue.too_many_seen': 'One IP address saw more ads in an hour than can be billed.',
  'issue.other_visitor': 'Many impressions were reported by visitors who did not request the ads.',
  'issue.foreign_domain':
    'Many impressions were refused. Ask the publisher to name all sites that show the ads.',
  'issue.bot': 'Many impressions were refused because robots made them.',
  'issue.late': 'Many impressions were refused because they were reported too late.',
  'issue.no_request_fits':
    'It runs, but it fits no visitor. Widen its personas, or add banners of other sizes.',
  'issue.below_floors': 'It runs, but its price is below what publishers ask for. Raise the price.',
  'issue.mostly_blocked':
    'It runs, but most publishers block it. Check its category and the page it leads to.',
  'issue.mostly_capped':
    'It runs, but its visitors have seen it often enough. Raise the frequency cap or reach more people.',
  'issue.mostly_outbid': 'It runs, but others bid more. Raise the price to win more often.',
} as const

export type Catalogue = { [W in keyof typeof en]: string }
