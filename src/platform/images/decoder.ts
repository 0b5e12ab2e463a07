// The decoder, and the only way to it: importing it here gives the four loaders that we need, and no others. libvips
// also reads SVG, PDF, TIFF and more, and a drawing of 2 kB may take it seconds.

import sharp from 'sharp'

sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadWebpBuffer',
  ],
})
// One image at a time, and nothing is cached.
sharp.concurrency(1)
sharp.cache(false)

export { sharp as decoder }
