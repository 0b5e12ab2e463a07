// Chooses which of the offered media types a request's `accept` header wants. If none is acceptable, the first is used,
// because an answer in JSON helps more than a refusal.

export function pickMedia<T extends string>(accept: string | undefined, offered: readonly T[]): T {
  const wanted = (accept ?? '*/*').slice(0, 1000).split(',').map(readRange)
  let best: { type: T; quality: number } = { type: offered[0]!, quality: 0 }
  for (const type of offered) {
    const quality = qualityOf(type, wanted)
    if (quality > best.quality) best = { type, quality }
  }
  return best.type
}

interface MediaRange {
  range: string
  quality: number
}

function readRange(text: string): MediaRange {
  const [range = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const given = parameters.find(parameter => parameter.startsWith('q='))
  const quality = given === undefined ? 1 : Number(given.slice(2))
  return { range, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

/** The most specific range that fits decides. */
function qualityOf(type: string, wanted: MediaRange[]): number {
  const candidates = [type, `${type.split('/', 1)[0]}/*`, '*/*']
  for (const candidate of candidates) {
    const found = wanted.find(item => item.range === candidate)
    if (found) return found.quality
  }
  return 0
}
