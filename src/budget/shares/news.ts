// News between nodes: how an ad ended that another node had promised. The table share_news keeps 21 bytes for each: how
// it ended, its id, and what was charged for it.

export interface AdNews {
  end: 'billed' | 'lost'
  adId: string
  chargeMicros: number
}

const AD_BYTES = 12
const NEWS_BYTES = 1 + AD_BYTES + 8
const BILLED = 1
const LOST = 2

export function writeNews(ads: readonly AdNews[]): Buffer {
  const bytes = Buffer.alloc(ads.length * NEWS_BYTES)
  ads.forEach(({ end, adId, chargeMicros }, i) => {
    const at = i * NEWS_BYTES
    bytes[at] = end === 'billed' ? BILLED : LOST
    bytes.write(adId, at + 1, AD_BYTES, 'base64url')
    bytes.writeBigInt64BE(BigInt(chargeMicros), at + 1 + AD_BYTES)
  })
  return bytes
}

export function* readNews(bytes: Buffer): Generator<AdNews> {
  for (let at = 0; at + NEWS_BYTES <= bytes.length; at += NEWS_BYTES) {
    yield {
      end: bytes[at] === BILLED ? 'billed' : 'lost',
      adId: bytes.toString('base64url', at + 1, at + 1 + AD_BYTES),
      chargeMicros: Number(bytes.readBigInt64BE(at + 1 + AD_BYTES)),
    }
  }
}
