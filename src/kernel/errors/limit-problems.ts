// Problems of callers that already have as many of something as they may: a part of the table of problems.

export const LIMIT_PROBLEMS = {
  too_much_answered: [
    'too_many_objects',
    'the answers of a bulk call may have some {max:count} characters together; send this operation with another call',
  ],
  too_much_to_propose: [
    'too_many_objects',
    'a proposal may have some {max:count} characters, before and after the change together; propose less with one call',
  ],
  too_many_webhooks: ['conflict', 'an app may have at most {max:number} webhooks'],
  too_many_super_pairs: ['conflict', 'an app may have at most {max:number} super pairs'],
  too_many_sources: ['conflict', 'there may be at most {max:number} sources'],
  too_many_members: ['conflict', 'at most {max:number} people may work for one customer'],
  too_many_notes: ['conflict', 'a customer may have at most {max:number} notes; remove some first'],
  too_many_saved_views: [
    'conflict',
    'a customer may have at most {max:number} saved views; remove some first',
  ],
} as const
