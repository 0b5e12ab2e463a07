// Structured logs, one JSON line per event. Secrets are redacted by name, and requests are logged by route, not by URL,
// so that the log contains neither credentials nor email addresses.

import { type DestinationStream, type Logger, pino } from 'pino'
import { traceFields } from './trace.ts'

export type Log = Logger

const SECRETS = [
  'key',
  'token',
  'superkey',
  'supertoken',
  'passcode',
  'ticket',
  'password',
  'secret',
  'authorization',
  'cookie',
]

export function createLog(level: string, destination?: DestinationStream): Log {
  const paths = SECRETS.flatMap(name => [name, `*.${name}`])
  const options = {
    level,
    base: undefined,
    mixin: traceFields,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: [...paths, '["x-access-key"]', '["x-access-token"]'], censor: '[redacted]' },
  }
  return destination ? pino(options, destination) : pino(options)
}
