// What an app can be told by its webhooks. Not to be mixed up with the events of tracking (impressions, clicks).

export const EVENT_TYPES = [
  'customer.created',
  'campaign.started',
  'campaign.ended',
  'campaign.paused',
  'campaign.resumed',
  'campaign.budget_spent',
  'banner.approved',
  'banner.rejected',
] as const

export type EventType = (typeof EVENT_TYPES)[number]
