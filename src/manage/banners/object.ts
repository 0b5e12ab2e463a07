// Converts a banner to the form that the API shows.

import { storedFindings } from '../../kernel/errors/finding.ts'
import { toSeconds } from '../../kernel/time/clock.ts'
import { landingUrlOf } from './click-url.ts'
import type { Banner } from './contract.ts'
import type { BannerRow } from './queries.ts'

export function toBanner(row: BannerRow): Banner {
  return {
    bid: row.bid,
    pid: row.pid,
    cid: row.cid,
    name: row.name,
    creativeURL: row.creative_url,
    clickUrl: row.click_url,
    clickParameters: row.click_parameters,
    weight: row.weight,
    landingUrl: landingUrlOf(row),
    width: row.width,
    height: row.height,
    type: row.type,
    bytes: row.bytes,
    enabled: row.enabled,
    status: row.status,
    reasons: row.reasons,
    findings: storedFindings(row.reasons, row.findings),
    externalId: row.external_id,
    metadata: row.metadata,
    created: toSeconds(row.created_at),
    updated: toSeconds(row.updated_at),
  }
}
