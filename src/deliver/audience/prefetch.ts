// Whether a browser requests something before the visitor does (prefetch, prerender, preview). Such requests are
// answered, but never counted.

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
