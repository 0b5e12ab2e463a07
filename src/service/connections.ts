// The most connections to the database that a process opens, by the parts it runs, as in docs/postgresql.md.

import type { Config } from '../platform/config.ts'
import { runs } from './roles.ts'

const CONTROL = 2
const DOOR = 2
const COUNTING = 2
const SHARES_AND_CATALOG = 3
const JOBS = 9

export function connectionsOf({
  ROLES: roles,
  DATABASE_POOL,
  READ_POOL,
  TRACKING_POOL,
}: Pick<Config, 'ROLES' | 'DATABASE_POOL' | 'READ_POOL' | 'TRACKING_POOL'>): number {
  const counts = runs(roles, 'ads') || runs(roles, 'management')
  return (
    DATABASE_POOL +
    CONTROL +
    (runs(roles, 'management') ? READ_POOL + DOOR : 0) +
    (counts ? TRACKING_POOL + COUNTING : 0) +
    (runs(roles, 'ads') ? SHARES_AND_CATALOG : 0) +
    (runs(roles, 'jobs') ? JOBS : 0)
  )
}
