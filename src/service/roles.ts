// The table of which parts of the service each role runs. By default one process has all roles; on your own database
// several processes may share them.

import type { Role } from '../platform/config.ts'

/** A process with one of these roles runs the part. */
const RUN_BY = {
  /** Everything from customers to statistics, webhooks, console and docs. Any number of processes. */
  management: ['api'],
  /** The images of ads. */
  images: ['api', 'delivery'],
  /** Bids, tags, tracking and counting, and the endpoints that need their memory. Any number of processes. */
  ads: ['delivery'],
  /** Adding what was counted to the rollups. Any number of processes: they take turns. */
  folding: ['delivery', 'worker'],
  /** Reviews, webhooks, the watch over campaigns, cleaning up. Any number of processes. */
  jobs: ['worker'],
} satisfies Record<string, Role[]>

export type Part = keyof typeof RUN_BY

export function runs(roles: readonly Role[], part: Part): boolean {
  return RUN_BY[part].some(role => (roles as string[]).includes(role))
}
