// Changes many campaigns in few calls. A campaign gets all of its changes or none.

import { type BulkOperation, type BulkOptions, refusalOf, runBulk } from '../bulk/run.ts'
import type { Campaign } from './data.ts'

export interface Applied {
  /** Why some campaigns were left unchanged. */
  refusals: ReadonlyMap<number, string>
  /** The new versions of the changed campaigns. */
  etags: ReadonlyMap<number, string>
}

/** Campaigns per call, so that there is progress to show. */
const AT_ONCE = 200

export async function applyTo(
  cuid: number,
  campaigns: readonly Campaign[],
  stepsOf: (campaign: Campaign) => BulkOperation[],
  timeZone: string,
  onProgress: (done: number) => void,
): Promise<Applied> {
  const refusals = new Map<number, string>()
  const etags = new Map<number, string>()
  const run = async (options: BulkOptions) => {
    const left = campaigns.filter(({ cid }) => !refusals.has(cid))
    const steps = left.flatMap(campaign => stepsOf(campaign).map(step => ({ campaign, step })))
    const operations = steps.map(({ step }) => step)
    const answers = await runBulk(cuid, operations, options)
    for (const [index, { campaign }] of steps.entries()) {
      const answer = answers[index]!
      const refusal = refusalOf(answer, timeZone)
      if (refusal) refusals.set(campaign.cid, refusal)
      else if (!options.dryRun && answer.etag) etags.set(campaign.cid, answer.etag)
    }
  }
  // With several steps, all are tried first, so that no campaign gets only some of them.
  if (campaigns.some(campaign => stepsOf(campaign).length > 1)) await run({ dryRun: true })
  const ofEach = Math.max(1, ...campaigns.map(campaign => stepsOf(campaign).length))
  const tell = (done: number) => onProgress(refusals.size + Math.floor(done / ofEach))
  await run({ atOnce: AT_ONCE * ofEach, onProgress: tell })
  return { refusals, etags }
}
