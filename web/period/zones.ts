// The time zones to choose from, the likely ones first.

export function zonesOf(own: string, chosen: string | null = null): string[] {
  const reader = Intl.DateTimeFormat().resolvedOptions().timeZone
  const likely = [own, ...(chosen === null ? [] : [chosen]), reader, 'UTC']
  return [...new Set([...likely, ...Intl.supportedValuesOf('timeZone')])]
}
