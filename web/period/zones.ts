// The time zones to choose from: those that are likely meant first.

export function zonesOf(own: string): string[] {
  const reader = Intl.DateTimeFormat().resolvedOptions().timeZone
  return [...new Set([own, reader, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
}
