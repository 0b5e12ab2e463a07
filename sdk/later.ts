// Work that the service does as a job because it is too large for one call. The client waits for the job and then reads
// what it created, so that a large copy looks like a small one. Also handles calls that became a proposal.

import { endpoints, type OutputOf, type Proposed, type Route } from './endpoints.ts'
import { MarqueeError, type Refusal } from './errors.ts'
import { type CallOptions, type Sender, send } from './request.ts'
import { sleep } from './waits.ts'

type Job = OutputOf<'readJob'>

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 2_000

/** Returns what `read` makes of the answer. For a job, `read` gets the created object once the job is done. */
export async function sendAndWait<A>(
  sender: Sender,
  route: Route,
  input: Record<string, unknown>,
  call: CallOptions,
  read: (response: Response) => Promise<A>,
): Promise<A> {
  let job: Job | null = null
  const answer = await send(sender, route, input, call, async response => {
    // A busy sandbox also answers 202, with its progress (sandbox.ts).
    if (response.status !== 202 || route.path.startsWith('/sandbox/')) return read(response)
    const later = (await response.clone().json()) as Job | Proposed
    if (!('proposal' in later)) job = later
    else if (input.propose === true) return read(response)
    else throw proposedInstead(later, response)
    return null
  })
  if (job === null) return answer as A
  const { signal } = call
  const { cuid, result } = await ended(sender, job, signal)
  const made = endpoints.get(result?.pid === undefined ? 'readCampaign' : 'readPersona')!
  return send(sender, made, { cuid, ...result }, { signal }, read)
}

/** The caller expects the change to be made, but it only waits. */
function proposedInstead({ proposal }: Proposed, response: Response): MarqueeError {
  const message = `it needs a decision: proposal ${proposal.id} waits for it`
  const requestId = response.headers.get('x-request-id')
  return new MarqueeError(response.status, { message, code: 'proposed' }, { requestId, proposal })
}

async function ended(sender: Sender, begun: Job, signal: AbortSignal | undefined): Promise<Job> {
  let job = begun
  const where = { id: job.job, cuid: job.cuid }
  for (let waitMs = FIRST_WAIT_MS; job.ended === null; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    await sleep(waitMs, signal)
    job = await send(
      sender,
      endpoints.get('readJob')!,
      where,
      { signal },
      async response => (await response.json()) as Job,
    )
  }
  const { error } = job
  if (error) throw new MarqueeError(error.status, error as Refusal, { requestId: null })
  return job
}
