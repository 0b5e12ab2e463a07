// The program of the child processes that read images: it inspects banner images and shrinks logos.

import { shrinkLogo } from '../console/shrink-logo.ts'
import { inspectImage } from '../manage/banners/creative/inspect.ts'
import { serveImages } from '../platform/images/child.ts'

const MOST_MEMORY_BYTES = 400_000_000
const MOST_PROCESSOR_MS = 15_000

serveImages(
  { inspect: bytes => inspectImage(bytes), logo: shrinkLogo },
  { mostMemoryBytes: MOST_MEMORY_BYTES, mostProcessorMs: MOST_PROCESSOR_MS },
)
