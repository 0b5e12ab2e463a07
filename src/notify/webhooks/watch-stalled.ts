// Reports stalled campaigns (found by diagnose/stalled/) once when it begins, by webhook and email.

import { recordEvent, recordMail } from '../../changes/outbox.ts'
import { noteStalled, type StalledRow, selectStalled } from '../../diagnose/stalled/report-queries.ts'
import { storedFinding } from '../../kernel/errors/finding.ts'
import { findCampaign, show } from '../../manage/campaigns/campaigns.ts'
import type { Db } from '../../platform/database.ts'
import type { WatchParts } from './watch-budgets.ts'

const PAGE = 100

export async function tellStalled(parts: WatchParts): Promise<void> {
  let page: StalledRow[] | null = null
  while (page === null || page.length === PAGE) {
    page = await selectStalled(parts.db, page?.at(-1)?.cid ?? 0, PAGE)
    for (const row of page) await parts.db.transaction(tx => tell(tx, row, parts))
  }
}

/** Campaigns that were stopped on purpose since then are not reported. */
async function tell(
  tx: Db,
  { cid, cuid, code, params, since }: StalledRow,
  parts: WatchParts,
): Promise<void> {
  const at = new Date(parts.clock.nowMs())
  if (!(await noteStalled(tx, cid, at))) return
  const { campaign } = await show(tx, parts, await findCampaign(tx, { cuid }, { cid }))
  if (campaign.status !== 'running') return
  const findings = [storedFinding(code, params)]
  await recordEvent(tx, { at, type: 'campaign.stalled', cuid, data: { ...campaign, findings } })
  const about = `${cid} ${code} ${Math.floor(since.getTime() / 1000)}`
  await recordMail(tx, { at, cuid, kind: 'stopped', about, facts: { cid, code } })
}
