// The program of the child processes that read images: it inspects banner images and shrinks logos.

import { shrinkLogo } from '../console/shrink-logo.ts'
import { inspectImage } from '../manage/banners/creative/inspect.ts'
import { IMAGE_LIMITS, serveImages } from '../platform/images/child.ts'
import { decoder } from '../platform/images/decoder.ts'

/** A PNG of one pixel. A child that cannot read it would find fault with every image. */
const GOOD_IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
)

serveImages(
  { inspect: bytes => inspectImage(bytes), logo: shrinkLogo, nothing: async () => null },
  IMAGE_LIMITS,
  () => decoder(GOOD_IMAGE, { failOn: 'warning' }).raw().toBuffer(),
)
