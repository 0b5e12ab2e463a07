// Letters as strokes, because the machine that draws may have no fonts. Each is ten units high; the first number is its
// width.

const STROKES: Record<string, [width: number, path: string]> = {
  A: [7, 'M0 10 3.5 0 7 10M1.2 6.6H5.8'],
  B: [5.8, 'M0 0V10H3.2A2.5 2.6 0 0 0 3.2 4.8H0M3 4.8A2.3 2.4 0 0 0 3 0H0'],
  C: [6.6, 'M6.4 2A3.4 5 0 1 0 6.4 8'],
  D: [6.8, 'M0 0V10H2.4A4.4 5 0 0 0 2.4 0Z'],
  E: [5, 'M5 0H0V10H5M0 5H4.2'],
  F: [5, 'M5 0H0V10M0 5H4.2'],
  G: [7, 'M6.4 2A3.5 5 0 1 0 6.9 6V5.4H4.2'],
  H: [6.4, 'M0 0V10M6.4 0V10M0 5H6.4'],
  I: [0, 'M0 0V10'],
  J: [4.5, 'M4.5 0V7A2.25 3 0 0 1 0 7'],
  K: [6, 'M0 0V10M6 0 0 6M2 4.2 6 10'],
  L: [4.8, 'M0 0V10H4.8'],
  M: [8, 'M0 10V0L4 6.5 8 0V10'],
  N: [6.6, 'M0 10V0L6.6 10V0'],
  O: [7.6, 'M3.8 0A3.8 5 0 1 0 3.8 10A3.8 5 0 1 0 3.8 0'],
  P: [5.6, 'M0 10V0H3A2.7 2.75 0 0 1 3 5.5H0'],
  R: [5.8, 'M0 10V0H3A2.7 2.75 0 0 1 3 5.5H0M3 5.5 5.8 10'],
  S: [
    5.6,
    'M5.4 1.6C4.6 .4 3.6 0 2.8 0C.8 0 0 1.4 0 2.5C0 5.6 5.6 4.4 5.6 7.5C5.6 9 4.4 10 2.8 10C1.6 10 .6 9.4 0 8.2',
  ],
  T: [6, 'M0 0H6M3 0V10'],
  U: [6.4, 'M0 0V6.6A3.2 3.4 0 0 0 6.4 6.6V0'],
  V: [7, 'M0 0 3.5 10 7 0'],
  W: [10, 'M0 0 2.6 10 5 1.5 7.4 10 10 0'],
  X: [6.4, 'M0 0 6.4 10M6.4 0 0 10'],
  Y: [6.6, 'M0 0 3.3 5 6.6 0M3.3 5V10'],
  Z: [6, 'M0 0H6L0 10H6'],
  '0': [6, 'M3 0A3 5 0 1 0 3 10A3 5 0 1 0 3 0'],
  '1': [2.4, 'M0 1.8 2.4 0V10'],
  '2': [5.4, 'M.2 2.4C.4 .8 1.6 0 2.8 0C4.4 0 5.4 1.2 5.4 2.8C5.4 5.2 1.4 7 0 10H5.4'],
  '3': [5.4, 'M.2 0H5L2.4 3.8C4.4 3.8 5.4 5.2 5.4 6.8C5.4 8.8 4.2 10 2.6 10C1.4 10 .5 9.4 0 8.4'],
  '4': [6, 'M4.4 10V0L0 7H6'],
  '5': [
    5.4,
    'M5 0H.8L.4 4.4C1 3.9 1.8 3.6 2.6 3.6C4.4 3.6 5.4 5 5.4 6.7C5.4 8.6 4.2 10 2.4 10C1.4 10 .5 9.5 0 8.7',
  ],
  '9': [
    5.6,
    'M.8 9.4C3.6 8.6 5.6 6 5.6 3.2C5.6 1.2 4.4 0 2.8 0C1.1 0 0 1.4 0 3.1C0 4.8 1.1 6 2.7 6C4 6 5.1 5.2 5.5 4',
  ],
  $: [
    5.6,
    'M5.4 1.6C4.6 .4 3.6 0 2.8 0C.8 0 0 1.4 0 2.5C0 5.6 5.6 4.4 5.6 7.5C5.6 9 4.4 10 2.8 10C1.6 10 .6 9.4 0 8.2M2.8 -1.6V11.6',
  ],
  '%': [
    8,
    'M7.4 0 .6 10M1.8 0A1.8 2 0 1 0 1.8 4A1.8 2 0 1 0 1.8 0M6.2 6A1.8 2 0 1 0 6.2 10A1.8 2 0 1 0 6.2 6',
  ],
  '.': [0, 'M0 10V9.9'],
  "'": [0, 'M0 0V2.2'],
  ',': [0.4, 'M.4 9.6 0 11.4'],
  ' ': [1.6, ''],
}
const GAP = 2.4

export function widthOf(text: string, height: number): number {
  const widths = [...text].map(letter => strokesOf(letter)[0] + GAP)
  return ((widths.reduce((sum, width) => sum + width, 0) - GAP) * height) / 10
}

/** A line of text whose capitals begin at `x` and `y`; `weight` is the thickness of strokes for a height of ten. */
export function lineOf(
  text: string,
  { x, y, height, color, weight }: { x: number; y: number; height: number; color: string; weight: number },
): string {
  let at = 0
  const letters = [...text].map(letter => {
    const [width, path] = strokesOf(letter)
    const drawn = `<path transform="translate(${at.toFixed(2)} 0)" d="${path}"/>`
    at += width + GAP
    return drawn
  })
  return `<g transform="translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${(height / 10).toFixed(3)})" fill="none" stroke="${color}" stroke-width="${weight}" stroke-linecap="round" stroke-linejoin="round">${letters.join('')}</g>`
}

function strokesOf(letter: string): [number, string] {
  const strokes = STROKES[letter.toUpperCase()]
  if (!strokes) throw new Error(`no letter ${letter}`)
  return strokes
}
