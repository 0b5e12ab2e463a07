// A child process like those of the service that cannot decode anything on this machine.

import { serveImages } from '../../src/platform/images/child.ts'

serveImages(
  { count: async bytes => bytes.length },
  { mostMemoryBytes: 300_000_000, mostProcessorMs: 500 },
  async () => {
    throw new Error('no decoder here')
  },
)
