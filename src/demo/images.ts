// The demonstration's banners, drawn: plain shapes, because letters would need fonts that a server may not have.

import sharp from 'sharp'

export interface Art {
  motif: 'wheels' | 'cup'
  /** `#rrggbb` */
  dark: string
  light: string
}

export async function drawBanner(art: Art, width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  const unit = Math.min(width, height)
  const [x, y] = width >= height ? [unit * 0.75, height / 2] : [width / 2, unit * 0.75]
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<defs><linearGradient id="g" x2="1" y2="1">
<stop stop-color="${art.dark}"/><stop offset="1" stop-color="${art.light}"/>
</linearGradient></defs>
<rect width="100%" height="100%" fill="url(#g)"/>
${stripes(art, width, height, unit)}
<g fill="none" stroke="#fff" stroke-width="${unit * 0.04}" stroke-linecap="round">${MOTIFS[art.motif](x, y, unit * 0.4)}</g>
${button(art, width, height, unit)}
</svg>`
  return Uint8Array.from(await sharp(Buffer.from(svg)).png({ palette: true, effort: 7 }).toBuffer())
}

const MOTIFS: Record<Art['motif'], (x: number, y: number, size: number) => string> = {
  wheels: (x, y, size) => {
    const [left, right, base, r] = [x - size * 0.75, x + size * 0.75, y + size * 0.3, size * 0.45]
    return `<circle cx="${left}" cy="${base}" r="${r}"/><circle cx="${right}" cy="${base}" r="${r}"/>
<path d="M${left} ${base} L${x - size * 0.25} ${y - size * 0.45} H${x + size * 0.45} L${right} ${base} M${left} ${base} H${x} L${x + size * 0.45} ${y - size * 0.45}"/>`
  },
  cup: (x, y, size) => `<path d="M${x - size * 0.6} ${y - size * 0.2} V${y + size * 0.3}
a${size * 0.4} ${size * 0.4} 0 0 0 ${size * 0.4} ${size * 0.4} h${size * 0.4}
a${size * 0.4} ${size * 0.4} 0 0 0 ${size * 0.4} -${size * 0.4} V${y - size * 0.2} Z"/>
<path d="M${x + size * 0.6} ${y} a${size * 0.25} ${size * 0.25} 0 0 1 0 ${size * 0.5}"/>
<path d="M${x - size * 0.2} ${y - size * 0.45} q${size * 0.15} -${size * 0.2} 0 -${size * 0.4} M${x + size * 0.2} ${y - size * 0.45} q${size * 0.15} -${size * 0.2} 0 -${size * 0.4}"/>`,
}

function stripes({ light }: Art, width: number, height: number, unit: number): string {
  return [0.55, 0.7, 0.85]
    .map(
      at =>
        `<path d="M${width * at} 0 L${width * at - height * 0.5} ${height}" stroke="${light}" stroke-opacity=".35" stroke-width="${unit * 0.06}"/>`,
    )
    .join('')
}

/** What a headline and a button look like from afar. */
function button({ dark }: Art, width: number, height: number, unit: number): string {
  const wide = width >= height
  const [w, h] = [wide ? Math.min(width * 0.3, unit * 1.4) : width * 0.7, unit * 0.2]
  const [x, y] = wide
    ? [width - w - unit * 0.15, height - h - unit * 0.18]
    : [(width - w) / 2, height - h - unit * 0.3]
  return `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${h / 2}" fill="#fff"/>
<rect x="${x + w * 0.25}" y="${y + h * 0.4}" width="${w * 0.5}" height="${h * 0.2}" rx="${h * 0.1}" fill="${dark}"/>`
}
