// A bucket for one test: an S3 server on a port of this machine, with its files in a temporary folder.

import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'

export interface TestBucket {
  /** The settings that use it. */
  settings: Record<string, string>
  close(): Promise<void>
}

/** `port` 0: a free port. */
export async function startBucket(name: string, port = 0): Promise<TestBucket & { port: number }> {
  const directory = await mkdtemp(join(tmpdir(), 'marquee-bucket-'))
  const server = new S3rver({
    port,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name, configs: [] }],
  })
  const { port: taken } = (await server.run()) as AddressInfo
  return {
    port: taken,
    settings: {
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${taken}`,
    },
    async close() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
