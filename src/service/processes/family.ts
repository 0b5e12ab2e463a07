// The children of the main process. They are started, handed connections in turn, restarted when they die (with growing
// delays if they die at once), and ended before the main process releases the database.

import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Log } from '../../platform/log.ts'
import type { ReadyPart } from '../operations.ts'
import { createAsking } from './asking.ts'
import { createHandOver, type Taker } from './hand-over.ts'
import type { MetricsOfOne, ToChild, ToMain } from './messages.ts'

export interface FamilyOptions {
  /** Including the main process. */
  processes: number
  /** The environment of a child. */
  env: NodeJS.ProcessEnv
  /** The main process's own metrics. */
  registry: Registry
  log: Log
}

export interface Family {
  start(own: { adopt(socket: Socket): void; readiness(): Promise<ReadyPart[]> }): void
  /** Hands a new connection to the next process that is ready. */
  place(socket: Socket): void
  /** The state of the children; the main process is ready whatever it is. */
  parts(): ReadyPart[]
  gather(own: Registry): Promise<string>
  startDraining(): void
  stop(): Promise<void>
}

interface Member extends Taker {
  number: number
  child: ChildProcess | null
  isReady: boolean
  heardMs: number
  /** How many times in a row it was found silent. */
  silences: number
  deaths: number
  timer: NodeJS.Timeout | null
}

const LOOK_MS = 500
/** A child that is silent for this long hangs: it gets no connections until it reports again. */
const SILENT_MS = 3_000
/** How many looks must find it silent before that is logged. */
const SILENCES = 2
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
/** A child that lived this long did not die because of its start. */
const LONG_LIFE_MS = 60_000
const STOP_MS = 15_000

export function createFamily({ processes, env, registry, log }: FamilyOptions): Family {
  const members: Member[] = Array.from({ length: processes - 1 }, (_, at) => ({
    number: at + 2,
    child: null,
    isReady: false,
    isTaking: false,
    heardMs: 0,
    silences: 0,
    deaths: 0,
    timer: null,
  }))
  const asking = createAsking<MetricsOfOne>()
  let own: Parameters<Family['start']>[0] | null = null
  let ownIsReady = false
  let looking: NodeJS.Timeout | null = null
  const ours: Taker = { isTaking: false }
  const handOver = createHandOver<Taker>(takers, hand)
  let isStopping = false

  function launch(member: Member): void {
    member.timer = null
    if (isStopping) return
    const child = fork(process.argv[1]!, ['serve', '--process', `${member.number}/${processes}`], {
      env,
      serialization: 'advanced',
    })
    const bornMs = performance.now()
    Object.assign(member, { child, isReady: false, isTaking: false, heardMs: bornMs, silences: 0 })
    log.info({ child: member.number, pid: child.pid }, 'a child was started')
    child.on('message', (message: ToMain) => hear(member, message))
    child.on('error', error => log.warn({ err: error, child: member.number }, 'a child has trouble'))
    child.on('exit', (code, signal) => {
      Object.assign(member, { child: null, isReady: false })
      if (isStopping) return
      member.deaths = performance.now() - bornMs > LONG_LIFE_MS ? 1 : member.deaths + 1
      const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (member.deaths - 1))
      log.error({ child: member.number, code, signal, waitMs }, 'a child process died and will be restarted')
      member.timer = setTimeout(() => launch(member), waitMs)
    })
  }

  function say({ child }: Member, message: ToChild, socket?: Socket): void {
    if (child?.connected) child.send(message, socket, () => undefined)
  }

  function hear(member: Member, message: ToMain): void {
    if (message.say === 'readiness') {
      if (message.isReady !== member.isReady)
        log.info({ child: member.number }, message.isReady ? 'a child is ready' : 'a child is not ready')
      member.isReady = message.isReady
      member.heardMs = performance.now()
    } else if (message.say === 'taken') handOver.taken(member)
    else if (message.say === 'metrics') asking.answered(message.id, message.metrics)
    else answerMetrics(member, message.id)
  }

  /** A child was asked for the metrics; its own are among those gathered. */
  async function answerMetrics(member: Member, id: number): Promise<void> {
    say(member, { say: 'all metrics', id, text: await gather(registry) })
  }

  async function gather(ours: Registry): Promise<string> {
    const living = members.filter(member => member.child?.connected)
    const answers = await Promise.all([
      ours.getMetricsAsJSON() as Promise<MetricsOfOne>,
      ...living.map(member => asking.ask(id => say(member, { say: 'tell metrics', id }))),
    ])
    // Each process has its own label, so nothing is added up: metrics are only grouped under one heading.
    const all = answers
      .filter(one => one !== null)
      .map(one => one.map(metric => ({ ...metric, aggregator: 'sum' })))
    return AggregatorRegistry.aggregate(all).metrics()
  }

  const isSilent = (member: Member) => performance.now() - member.heardMs >= SILENT_MS

  function isFit(member: Member): boolean {
    return member.isReady && member.child?.connected === true && !isSilent(member)
  }

  function takers(): Taker[] {
    const fit: Taker[] = members.filter(isFit)
    return ownIsReady || fit.length === 0 ? [...fit, ours] : fit
  }

  function hand(taker: Taker, socket: Socket): void {
    const member = members.find(one => one === taker)
    if (member) say(member, { say: 'connection' }, socket)
    else {
      own!.adopt(socket)
      setImmediate(() => handOver.taken(ours))
    }
  }

  /**
   * Only the second silence in a row counts: after a pause of our own, messages of the children are still to be read.
   */
  function listenTo(member: Member): void {
    const { number, child, silences } = member
    if (!child || !member.isReady) return
    member.silences = isSilent(member) ? silences + 1 : 0
    if (member.silences === SILENCES)
      log.warn({ child: number, pid: child.pid }, 'a child does not respond: it gets no connections')
    else if (member.silences === 0 && silences >= SILENCES)
      log.info({ child: number, pid: child.pid }, 'a child responds again')
  }

  async function look(): Promise<void> {
    for (const member of members) listenTo(member)
    handOver.goOn()
    ownIsReady = (await own!.readiness()).every(part => part.isReady)
  }

  return {
    start(main) {
      own = main
      ownIsReady = true
      for (const member of members) launch(member)
      looking = setInterval(() => look().catch(() => undefined), LOOK_MS)
      looking.unref()
    },
    place: handOver.place,
    parts: () =>
      members.map(member => ({
        name: `process ${member.number}`,
        isReady: true,
        says: isFit(member) ? 'is ready' : member.child ? 'is not ready' : 'has died and will be restarted',
      })),
    gather,
    startDraining() {
      // Ctrl-C reaches the children too: one that ends now is not restarted.
      isStopping = true
      for (const member of members) say(member, { say: 'drain' })
    },
    async stop() {
      isStopping = true
      if (looking) clearInterval(looking)
      await Promise.all(members.map(end))
    },
  }

  async function end(member: Member): Promise<void> {
    const { child, timer } = member
    if (timer) clearTimeout(timer)
    if (!child) return
    const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
    say(member, { say: 'stop' })
    const last = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await exited
    clearTimeout(last)
  }
}
