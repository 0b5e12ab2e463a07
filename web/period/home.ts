// Where the reader is, by the clock of the browser: proposed where nothing was chosen yet.

export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
/** Newer than the types of the language; not every browser has it. */
type Region = Intl.Locale & { getTimeZones?: () => string[]; timeZones?: string[] }

const isIn = (country: string, zone: string) => {
  const region = new Intl.Locale(`und-${country}`) as Region
  return (region.getTimeZones?.() ?? region.timeZones)?.includes(zone) ?? false
}

/** Two letters; null: the zone is that of no country, such as UTC, or the browser does not say. */
export function homeCountry(
  zone = browserZone(),
  languages: readonly string[] = navigator.languages,
): string | null {
  const spoken = languages.flatMap(language => new Intl.Locale(language).region ?? [])
  const all = LETTERS.flatMap(a => LETTERS.map(b => a + b))
  const found = [...spoken, ...all].find(country => isIn(country, zone))
  // Some codes are former names: DD is DE today.
  return found === undefined ? null : (new Intl.Locale(`und-${found}`).region ?? null)
}
