// The thread in which images are looked at: walking and decoding what strangers send must not hold up requests.
// It is sent bytes and answers with what they are, one image at a time.

import { parentPort } from 'node:worker_threads'
import { inspectImage } from './inspect.ts'

parentPort!.on('message', async (bytes: Uint8Array) => {
  parentPort!.postMessage(await inspectImage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))
})
