// A bare server that runs exactly the statements that the real service ran for a request, as recorded: what
// hand-written SQL would achieve, without checks, rules or a framework.

import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { openDatabase, statementName } from '../src/platform/database.ts'
import { Statement as PreparedRun } from '../src/platform/statement.ts'
import type { Service } from '../src/service/app.ts'
import type { Load } from './side-by-side.ts'

export interface Statement {
  text: string
  values: unknown[]
  /** The id that the statement returned when it was recorded: later statements use it. */
  madeId?: number
}

/** The statements of one request whose credentials are already cached, without statements of other work. */
export async function recordStatements(service: Service, load: Load): Promise<Statement[]> {
  const inject = () =>
    service.api.fastify.inject({
      method: load.method as 'GET',
      url: load.path,
      headers: load.headers,
      payload: load.body,
    })
  await inject()
  const statements: Statement[] = []
  const ours = new AsyncLocalStorage<true>()
  const original = pg.Client.prototype.query
  pg.Client.prototype.query = function (this: pg.Client, run: PreparedRun) {
    if (ours.getStore() && run instanceof PreparedRun) record(run, statements)
    return Reflect.apply(original, this, [run])
  } as typeof original
  try {
    const answer = await ours.run(true, async () => await inject())
    if (answer.statusCode >= 300) throw new Error(`${load.path}: ${answer.body}`)
    if (statements.length === 0) throw new Error(`${load.path}: nothing was recorded`)
    return statements
  } finally {
    pg.Client.prototype.query = original
  }
}

function record(run: PreparedRun, statements: Statement[]): void {
  const statement: Statement = { text: run.text, values: [...run.values] }
  if (run.ahead) statements.push({ text: 'begin', values: [] })
  statements.push(statement)
  if (!run.text.startsWith('insert into campaign')) return
  const { callback } = run
  run.callback = error => {
    statement.madeId = run.rows[0]?.cid as number
    callback(error)
  }
}

/** Serves any path with the statements in BENCH_STATEMENTS; the body, if any, is read and parsed. */
export async function replayServer(): Promise<string> {
  const statements = JSON.parse(process.env.BENCH_STATEMENTS!) as Statement[]
  const db = openDatabase({ url: process.env.BENCH_DATABASE!, maxConnections: 16, onError: () => {} })
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', async () => {
      if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString())
      const body = JSON.stringify(await replay(db.pool, statements))
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A read uses the pool, a transaction uses one connection; the largest result is the answer. */
async function replay(pool: pg.Pool, statements: Statement[]): Promise<unknown> {
  const inTransaction = statements.some(({ text }) => text === 'begin')
  const client = inTransaction ? await pool.connect() : null
  let answer: unknown[] = []
  let made = { recorded: -1, now: -1 }
  for (const { text, values, madeId } of statements) {
    const current = values.map(value => (value === made.recorded ? made.now : value))
    const simple = text === 'begin' || text === 'commit'
    const query = simple ? { text } : { name: statementName(text), text, values: current }
    const result = await (client ?? pool).query(query)
    if (madeId !== undefined) made = { recorded: madeId, now: result.rows[0].cid }
    if (result.rows.length > answer.length) answer = result.rows
  }
  client?.release()
  return answer.length === 1 ? answer[0] : answer
}
