// The least that a server on Node can do, as a contestant in benches: sockets that read into one buffer, and answers of
// a constant length (BENCH_ANSWER_BYTES) without reading more of a request than its first letter. Its cost moves with
// the machine and the kernel, not with `node:http`.

import { type AddressInfo, createServer } from 'node:net'
import { readIntoOneBuffer } from '../src/http/lane/one-buffer.ts'

const GET = 'G'.charCodeAt(0)

export async function bareSockets(): Promise<string> {
  const body = 'x'.repeat(Number(process.env.BENCH_ANSWER_BYTES))
  const bid = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const noted =
    'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncache-control: no-store\r\ncontent-length: 0\r\n\r\n'
  const server = createServer({ noDelay: true }, socket => {
    readIntoOneBuffer(socket)
    socket.on('data', chunk => socket.write(chunk[0] === GET ? noted : bid, 'latin1'))
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
