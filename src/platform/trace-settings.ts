// The settings of traces; a part of the table of settings. The first three have the names that OpenTelemetry gives
// them.

import { BadSetting, integer, matching, secret, secretUrl, text } from './setting.ts'

/** `name=value,name=value`, with values percent-encoded. */
function headersOf(value: string): Record<string, string> {
  const wrong = new BadSetting('must be headers such as authorization=Bearer%20abc, separated by commas')
  const entries = value.split(',').map(item => {
    const [, name, text] = /^\s*([\w!#$%&'*+.^`|~-]+)=([\x21-\x7e]*)\s*$/.exec(item) ?? []
    if (name === undefined || text === undefined) throw wrong
    try {
      const plain = decodeURIComponent(text)
      if (/^[\x20-\x7e]*$/.test(plain)) return [name.toLowerCase(), plain]
    } catch {
      // A percent sign that encodes nothing.
    }
    throw wrong
  })
  return Object.fromEntries(entries)
}

/** A URL with a password would be refused at each send. */
function collectorUrl(value: string): string {
  const url = new URL(secretUrl(value, ['http:', 'https:']))
  if (url.username || url.password || url.search || url.hash)
    throw new BadSetting('must have no user, password, query or fragment (see OTEL_EXPORTER_OTLP_HEADERS)')
  return url.href
}

export const TRACE_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: secret(
    'Collector of [traces](#traces) by OTLP/HTTP, such as `http://collector:4318`; `/v1/traces` is added. Without it, none are made.',
    collectorUrl,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    'Headers for the collector: `name=value`, separated by commas, with values percent-encoded.',
    headersOf,
  ),
  OTEL_SERVICE_NAME: text(
    'marquee',
    'Name of this service in traces.',
    matching(/^\S[\x20-\x7e]{0,199}$/, '1 to 200 printable characters'),
  ),
  TRACE_ADS: integer(
    1000,
    0,
    1_000_000_000,
    'One of how many ad requests and tracking calls is traced, in each process. 0: none.',
  ),
}
