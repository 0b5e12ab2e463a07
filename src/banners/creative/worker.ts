// The thread that checks images: walking and decoding foreign input must not delay requests. It receives bytes and
// returns the findings, one image at a time.

import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { inspectImage } from './inspect.ts'

// Requests have priority over images. On Linux this sets the priority of the thread; elsewhere it would be that of the
// whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)

parentPort!.on('message', async (bytes: Uint8Array) => {
  parentPort!.postMessage(await inspectImage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))
})
