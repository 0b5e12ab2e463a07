// The settings that bound what one customer may have; a part of the table of settings.

import { duration, integer, type Setting } from './setting.ts'

export const QUOTA_SETTINGS = {
  UPLOAD_QUOTA: integer(1000, 1, 1_000_000, "Total size of one customer's uploaded images, in MB."),
  UPLOAD_FILES: integer(10_000, 1, 1_000_000, 'Uploaded images kept for one customer.'),
  CAMPAIGN_QUOTA: integer(
    50_000,
    1,
    10_000_000,
    'Campaigns that one customer may have, not counting deleted ones.',
  ),
  PERSONA_QUOTA: integer(100_000, 1, 10_000_000, 'Personas that one customer may have, likewise.'),
  PERSONAS_PER_CAMPAIGN: integer(1_000, 1, 100_000, 'Personas that one campaign may have, likewise.'),
  BANNER_QUOTA: integer(200_000, 1, 10_000_000, 'Banners that one customer may have, likewise.'),
  JOB_OBJECTS: integer(
    20_000,
    2_000,
    1_000_000,
    'Objects that one order or copy may create: up to 2,000 in the call itself, more as a job.',
  ),
  IDEMPOTENCY_ANSWERS: integer(
    50_000,
    1,
    10_000_000,
    'Answers kept for the idempotency keys of one customer within 24 hours.',
  ),
  IDEMPOTENCY_MB: integer(100, 1, 1_000_000, 'Their total size, in MB.'),
  AUDIT_RETENTION: duration(
    '400d',
    'How long to keep the history of objects, at least as long as they can be restored. At most the last 1,000 changes and 4 MB per object are kept.',
  ),
} satisfies Record<string, Setting<unknown>>
