// A process with its own embedded PostgreSQL, like Marquee: prints the server's pid and URL, then every row it
// committed. Argument: the options of the server, and whether to insert.

import pg from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded.ts'

const options = JSON.parse(process.argv[2]!)
try {
  const server = await startEmbeddedPostgres({ log: () => {}, ...options })
  console.log(JSON.stringify({ pid: server.pid, url: server.url }))
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => {})
  await client.connect()
  await client.query('CREATE TABLE IF NOT EXISTS kept (n int)')
  for (let n = 1; options.insert; n++) {
    await client.query('INSERT INTO kept VALUES ($1)', [n])
    console.log(n)
  }
} catch (error) {
  console.log(JSON.stringify({ error: (error as Error).message }))
}
await new Promise(() => setInterval(() => {}, 1000))
