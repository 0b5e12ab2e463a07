// The name of a browser, for a person who wants to know where they are signed in. Only this name is kept, never the
// header that it is read from.

const MOST = 500

/** The first match counts: most browsers also claim to be those after them. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const
const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

/** Such as `Firefox, Windows`; null if the header does not tell. */
export function browserName(userAgent: string | undefined): string | null {
  const said = userAgent?.slice(0, MOST) ?? ''
  const named = (names: readonly (readonly [string, string])[]) =>
    names.find(([mark]) => said.includes(mark))?.[1]
  return [named(BROWSERS), named(SYSTEMS)].filter(name => name !== undefined).join(', ') || null
}
