// A bid request with everything else that exchanges send: the supply chain, user ids, segments, content, client hints
// and extensions. A bidder needs little of it but has to read it all: about 3 kB instead of 0.9 kB.

const ID_SOURCES = ['ids-one.example', 'ids-two.example', 'ids-three.example', 'ids-four.example']

export function enriched(request: object): object {
  const { imp, site, device, user, ...rest } = request as Record<string, object & { [n: number]: object }>
  return {
    ...rest,
    imp: [{ ...imp![0], ext: IMP_EXT }],
    site: { ...site, content: CONTENT },
    device: { ...device, sua: CLIENT_HINTS, ext: { atts: 3 } },
    user: { ...user, eids: ID_SOURCES.map(idsFrom), data: SEGMENTS },
    source: SOURCE,
    ext: EXT,
  }
}

function idsFrom(source: string): object {
  const id = 'XY1000bIVBVah9ium-sZ3ykhPiXQbEcUpn4GjCtxrrw2BRDGM'
  return { source, uids: [{ id, atype: 1, ext: { linkType: 2, provider: source } }] }
}

const IMP_EXT = {
  tid: 'c5d1a2f0-6f3f-4d53-9a57-2f1df1f0a8a3',
  gpid: '/1234/home/top',
  data: { pbadslot: '/1234/home/top', adserver: { name: 'server', adslot: '/1234/home/top' } },
}

const CONTENT = {
  id: 'c-1',
  title: 'An article about cycling in the city',
  keywords: 'cycling,bikes,roads',
  language: 'en',
  url: 'https://news.example/section/article-1234.html',
  data: [{ name: 'context.example', segment: [{ id: '12' }, { id: '243' }], ext: { segtax: 6 } }],
}

const CLIENT_HINTS = {
  source: 2,
  browsers: [
    { brand: 'Chromium', version: ['140', '0', '7300', '5'] },
    { brand: 'Not A Brand', version: ['24'] },
  ],
  platform: { brand: 'Windows', version: ['15', '0', '0'] },
  mobile: 0,
  architecture: 'x86',
  bitness: '64',
  model: '',
}

const SEGMENTS = [
  {
    id: 'd1',
    name: 'segments.example',
    segment: Array.from({ length: 8 }, (_, n) => ({ id: String(1000 + n), name: `segment ${n}` })),
    ext: { segtax: 4 },
  },
]

const SOURCE = {
  tid: 'b5d1a2f0-6f3f-4d53-9a57-2f1df1f0a8a3',
  schain: {
    ver: '1.0',
    complete: 1,
    nodes: [
      { asi: 'exchange.example', sid: '1001', hp: 1, rid: 'b5d1' },
      { asi: 'network.example', sid: 'abc', hp: 1 },
    ],
  },
}

const EXT = {
  wrapper: {
    channel: { name: 'web', version: '9.2.0' },
    targeting: {
      granularity: {
        precision: 2,
        ranges: [
          { max: 5, increment: 0.05 },
          { max: 20, increment: 0.5 },
        ],
      },
      winners: true,
      keys: false,
    },
  },
}
