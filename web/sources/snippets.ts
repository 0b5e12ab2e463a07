// What a publisher puts into its pages to show ads.

/** The element around the script reserves the space, so that nothing on the page moves when the ad arrives. */
export function scriptTag(root: string, key: string, size: string): string {
  const height = size.split('x')[1]
  const script = `<script async src="${root}/tag.js" data-source="${key}" data-size="${size}"></script>`
  return `<div style="min-height:${height}px">${script}</div>`
}

export function frameTag(root: string, key: string, size: string): string {
  const [width, height] = size.split('x')
  return `<iframe src="${root}/ad.html?source=${key}&size=${size}" width="${width}" height="${height}"
  style="border:0" referrerpolicy="strict-origin-when-cross-origin"></iframe>`
}

/** The server key is secret, so its owner fills it in. */
export function serverCall(root: string, domain: string, size: string): string {
  const body = {
    source: 'SERVER_KEY',
    size,
    page: `https://${domain}/`,
    ip: 'VISITOR_IP',
    ua: 'VISITOR_AGENT',
  }
  return `curl ${root}/ad --json '${JSON.stringify(body)}'`
}
