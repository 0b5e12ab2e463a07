// The events sent to an app's webhooks. Not to be confused with the events of tracking (impressions, clicks).

export const EVENT_TYPES = [
  'customer.created',
  'customer.credited',
  'customer.balance_low',
  'customer.balance_spent',
  'campaign.started',
  'campaign.ended',
  'campaign.paused',
  'campaign.resumed',
  'campaign.budget_spent',
  'proposal.created',
  'proposal.approved',
  'proposal.declined',
  'proposal.expired',
  'banner.approved',
  'banner.rejected',
] as const

export type EventType = (typeof EVENT_TYPES)[number]
