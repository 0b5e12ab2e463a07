// The thread in which images are looked at: walking and decoding what strangers send must not hold up requests.
// It is sent bytes and answers with what they are, one image at a time.

import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { inspectImage } from './inspect.ts'

// Requests go before images. On Linux this is the thread's own; elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)

parentPort!.on('message', async (bytes: Uint8Array) => {
  parentPort!.postMessage(await inspectImage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))
})
