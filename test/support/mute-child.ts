// A child process like those of the service that never comes to say whether it can read images.

import { serveImages } from '../../src/platform/images/child.ts'

serveImages(
  { count: async bytes => bytes.length },
  { mostMemoryBytes: 300_000_000, mostProcessorMs: 500 },
  () => new Promise(() => {}),
)
