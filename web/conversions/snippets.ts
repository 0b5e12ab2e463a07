// What advertisers put into their pages to have actions counted.

export interface Conversion {
  /** The address of the service, without a trailing slash. */
  root: string
  cuid: number
  name: string
  /** As it is written into the address; empty: no value. */
  value: string
}

/** For every page: keeps the click id that a visitor arrives with, for as long as actions are credited to a click. */
export const KEEP_CLICK = `<script>
  var mqclid = new URLSearchParams(location.search).get('mqclid')
  if (mqclid) document.cookie = 'mqclid=' + encodeURIComponent(mqclid) + ';path=/;max-age=2592000;samesite=lax'
</script>`

/** For the page that a visitor sees after the action. With \`?mqtest\` in its address it sends a test. */
export function countAction({ root, cuid, name, value }: Conversion): string {
  const query = new URLSearchParams({ cuid: String(cuid), name, ...(value === '' ? {} : { value }) })
  return `<script>
  var mqclid = (document.cookie.match(/(?:^|; )mqclid=([^;]*)/) || [])[1] || ''
  var mqtest = /[?&]mqtest/.test(location.search) ? '&test=1' : ''
  new Image().src = '${root}/t/a.gif?${inScript(query)}&click=' + mqclid + mqtest
</script>`
}

/** From a server, with a key of the account. */
export function serverCall({ root, cuid, name, value }: Conversion): string {
  const body = JSON.stringify({
    click: 'MQCLID',
    name,
    ...(value === '' ? {} : { value: Number(value) }),
    order: 'A-1001',
  })
  return `curl '${root}/action?cuid=${cuid}' -u KEY:TOKEN --json '${body.replaceAll("'", "'\\\\''")}'`
}

/** A text encoded for an address may still contain something that ends a string in a script. */
function inScript(query: URLSearchParams): string {
  return query.toString().replaceAll("'", '%27')
}
