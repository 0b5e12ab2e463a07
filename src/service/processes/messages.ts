// Messages between the main process and its children. A connection is handed over as a socket together with its
// message.

import type { MetricObjectWithValues, MetricValue } from 'prom-client'

export type MetricsOfOne = MetricObjectWithValues<MetricValue<string>>[]

export type ToChild =
  | { say: 'connection' }
  /** Report that you are not ready, and keep answering. */
  | { say: 'drain' }
  | { say: 'stop' }
  | { say: 'tell metrics'; id: number }
  | { say: 'all metrics'; id: number; text: string }

export type ToMain =
  /** Sent twice per second, so that a child that hangs is noticed. */
  | { say: 'readiness'; isReady: boolean }
  /** The connection has arrived: the next one may come. */
  | { say: 'taken' }
  | { say: 'metrics'; id: number; metrics: MetricsOfOne }
  | { say: 'gather metrics'; id: number }
