// The events sent to an app's webhooks, not to be confused with events of tracking (impressions, clicks).

export const EVENT_TYPES = [
  'customer.created',
  'customer.credited',
  'customer.balance_low',
  'customer.balance_spent',
  'customer.budget_raised',
  'customer.member_added',
  'customer.key_created',
  'customer.key_new_network',
  'campaign.started',
  'campaign.ended',
  'campaign.paused',
  'campaign.resumed',
  'campaign.budget_spent',
  'campaign.stalled',
  'proposal.created',
  'proposal.approved',
  'proposal.declined',
  'proposal.expired',
  'banner.approved',
  'banner.rejected',
  'landing_page.broken',
] as const

export type EventType = (typeof EVENT_TYPES)[number]
