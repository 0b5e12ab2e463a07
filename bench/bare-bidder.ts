// The least that a bidder can do, as a contestant in benches: it parses each bid request, answers with a constant as
// long as a real bid (BENCH_ANSWER_BYTES), and answers each notice with an empty body.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export async function bareBidder(): Promise<string> {
  const answer = 'x'.repeat(Number(process.env.BENCH_ANSWER_BYTES))
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, {
        'content-type': 'text/plain',
        'content-length': 0,
        'cache-control': 'no-store',
      })
      response.end()
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      JSON.parse((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString())
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
      response.end(answer)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
