// SQL of a reset: drops everything, and puts what was kept back into the new tables.

import type pg from 'pg'
import { LOCKS } from '../platform/locks.ts'
import { EXCHANGE, SITE } from './visits.ts'

/** What is kept, in the order in which it can be put back: who may call, and where ads are requested. */
const KEPT = {
  app: 'true',
  credential: 'cuid is null and revoked_at is null and (expires_at is null or expires_at > now())',
  source: `name not in ('${EXCHANGE}', '${SITE}')`,
  // Learned click rates are dropped together with the figures that they came from.
  deployment: `name not in ('click_rates', 'verified')`,
}

/** Runs in one transaction: if it is interrupted, the sandbox is either unchanged, or empty with its keys. */
export async function emptyDatabase(client: pg.ClientBase): Promise<void> {
  await client.query('begin')
  await client.query('drop table if exists sandbox.kept')
  await client.query('create table sandbox.kept (name text not null, content jsonb not null)')
  for (const [name, which] of Object.entries(KEPT))
    await client.query(
      `insert into sandbox.kept (name, content) select '${name}', to_jsonb(t) from ${name} t where ${which}`,
    )
  await client.query('drop schema if exists graphile_worker cascade')
  await client.query('drop schema public cascade')
  await client.query('create schema public')
  await client.query('drop sequence if exists sandbox.ids')
  await client.query('alter table sandbox.clock add column if not exists resets integer not null default 0')
  await client.query('update sandbox.clock set now_at = start_at, resets = resets + 1')
  await client.query('commit')
}

/** Does nothing if nothing was kept. New ids continue after those that were kept. */
export async function putBackKept(client: pg.ClientBase): Promise<void> {
  await client.query('begin')
  // Other processes may start at the same time.
  await client.query('select pg_advisory_xact_lock($1)', [LOCKS.firstStart])
  const { rows } = await client.query(`select to_regclass('sandbox.kept') is not null as there`)
  if (rows[0].there) await putBack(client)
  await client.query('commit')
}

async function putBack(client: pg.ClientBase): Promise<void> {
  for (const name of Object.keys(KEPT))
    await client.query(
      `insert into ${name} select (jsonb_populate_record(null::${name}, content)).* from sandbox.kept
       where name = '${name}'`,
    )
  await client.query(
    `select setval('ids', greatest((select max(app_id) from app), (select max(source_id) from source)))`,
  )
  await client.query('drop table sandbox.kept')
}
