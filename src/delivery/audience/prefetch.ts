// Whether a browser asks ahead of the visitor's wish (prefetch, prerender, preview): answered, never counted.

type Headers = Record<string, string | string[] | undefined>

export function isPrefetch(headers: Headers): boolean {
  return (
    says(headers['sec-purpose'], 'prefetch') ||
    says(headers['sec-purpose'], 'prerender') ||
    says(headers.purpose, 'prefetch') ||
    says(headers.purpose, 'preview') ||
    says(headers['x-purpose'], 'preview') ||
    says(headers['x-moz'], 'prefetch')
  )
}

function says(value: string | string[] | undefined, word: string): boolean {
  if (value === undefined) return false
  return String(value).toLowerCase().includes(word)
}
