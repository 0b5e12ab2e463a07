// What the shops of the demo sell, drawn in a square of 100 by 100 with three colours: dark, bright and pale.

export interface Palette {
  dark: string
  bright: string
  pale: string
}

export type Product = keyof typeof PRODUCTS

const line = (path: string, color: string, width: number) =>
  `<path d="${path}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`
const shape = (path: string, color: string) => `<path d="${path}" fill="${color}"/>`
const dot = (x: number, y: number, radius: number, color: string) =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${color}"/>`

const PRODUCTS = {
  bicycle: ({ dark, bright }: Palette) =>
    line('M22 46a20 20 0 1 0 .1 0M78 46a20 20 0 1 0 .1 0', dark, 5) +
    line('M22 66 37 34H66L50 66H22M37 34 50 66M78 66 64 24H74', bright, 5) +
    line('M31 30H44', dark, 6),
  helmet: ({ dark, bright, pale }: Palette) =>
    shape('M12 62C10 30 34 16 54 18C78 20 90 40 90 62Z', bright) +
    line('M30 54C30 38 40 28 52 26M52 54C52 42 58 32 66 28M72 54C72 46 76 40 80 38', pale, 5) +
    line('M10 64H92M26 66C28 80 40 88 50 88', dark, 5),
  cup: ({ dark, bright, pale }: Palette) =>
    shape('M18 40H72V58C72 76 62 84 45 84S18 76 18 58Z', bright) +
    line('M72 46C90 42 92 66 70 66', bright, 6) +
    line('M10 92H82', dark, 5) +
    line('M34 30C28 22 40 18 34 8M54 30C48 22 60 18 54 8', pale, 5),
  books: ({ dark, bright, pale }: Palette) =>
    shape('M14 68H84V86H14Z', dark) +
    shape('M20 48H90V66H20Z', bright) +
    shape('M10 28H74V46H10Z', pale) +
    line('M24 77H50M32 57H60M22 37H44', '#ffffff', 3),
  chair: ({ dark, bright, pale }: Palette) =>
    line('M26 74 20 94M74 74 80 94', dark, 6) +
    shape('M26 14H74Q82 14 82 24V56H18V24Q18 14 26 14Z', bright) +
    shape('M8 44H24V62H76V44H92V70Q92 78 84 78H16Q8 78 8 70Z', pale),
  flowers: ({ dark, bright, pale }: Palette) =>
    line('M50 92V44M50 78C36 76 30 66 30 52M50 78C64 76 70 66 70 52', dark, 5) +
    [
      [50, 28, bright],
      [28, 44, pale],
      [72, 44, pale],
    ]
      .map(
        ([x, y, color]) =>
          [0, 1, 2, 3, 4]
            .map(n =>
              dot(
                Number(x) + 10 * Math.cos(n * 1.2566),
                Number(y) + 10 * Math.sin(n * 1.2566),
                9,
                String(color),
              ),
            )
            .join('') + dot(Number(x), Number(y), 6, dark),
      )
      .join(''),
  loaf: ({ dark, bright, pale }: Palette) =>
    shape('M8 62C4 40 22 28 50 28S96 40 92 62C91 76 84 80 50 80S9 76 8 62Z', bright) +
    line('M30 40 38 60M48 36 56 58M66 38 74 58', pale, 6) +
    line('M14 88H86', dark, 5),
  tent: ({ dark, bright, pale }: Palette) =>
    shape('M50 16 96 84H4Z', bright) +
    shape('M50 40 68 84H32Z', dark) +
    line('M50 16 44 6M50 16 56 6', dark, 4) +
    dot(82, 22, 9, pale),
  glasses: ({ dark, bright, pale }: Palette) =>
    dot(27, 54, 20, pale) +
    dot(73, 54, 20, pale) +
    line('M27 34a20 20 0 1 0 .1 0M73 34a20 20 0 1 0 .1 0M47 50Q50 46 53 50M8 48 2 40M92 48 98 40', dark, 6) +
    line('M20 48 30 42M66 48 76 42', bright, 4),
  teapot: ({ dark, bright, pale }: Palette) =>
    line('M72 48C92 44 92 70 72 70M26 62C14 60 16 42 6 40', bright, 7) +
    shape('M24 44H74C82 62 76 82 62 84H36C22 82 16 62 24 44Z', bright) +
    line('M28 42H70M49 34V30', dark, 6) +
    line('M36 58C36 66 38 70 42 74', pale, 5),
  shoe: ({ dark, bright, pale }: Palette) =>
    shape('M8 40C20 46 30 42 36 30L62 56C74 60 92 60 92 76H8Z', bright) +
    shape('M6 74H94V82Q94 86 88 86H12Q6 86 6 82Z', dark) +
    line('M42 46 50 38M50 54 58 46M58 60 66 54', pale, 4),
  lotus: ({ dark, bright, pale }: Palette) =>
    shape('M50 20C64 40 64 60 50 78C36 60 36 40 50 20Z', bright) +
    shape('M20 38C40 44 48 58 50 78C30 76 18 60 20 38Z', pale) +
    shape('M80 38C60 44 52 58 50 78C70 76 82 60 80 38Z', pale) +
    line('M18 88H82', dark, 5),
}

export function drawProduct(product: Product, palette: Palette): string {
  return PRODUCTS[product](palette)
}
