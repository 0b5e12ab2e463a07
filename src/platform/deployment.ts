// Settings that all processes of a deployment share: the time zone of the days of budgets and figures, and the currency
// of all amounts. The first process stores them in the database; the others compare theirs.

import { BadSetting, type Config } from './config.ts'
import type { Database, Db } from './database.ts'

export const AGREED = ['TIMEZONE', 'CURRENCY'] as const
export type Agreed = (typeof AGREED)[number]

/** Refuses to start with values other than those of the deployment. */
export async function agreeOnSettings(db: Database, config: Pick<Config, Agreed>): Promise<void> {
  const wrong: string[] = []
  for (const name of AGREED) {
    const kept = await keepFirst(db, name, config[name])
    if (kept !== config[name])
      wrong.push(
        `${name} is "${config[name]}" here, but "${kept}" in this deployment, whose other processes and figures use that: ` +
          `set ${name}=${kept}; or, to change it for all, stop every process and run: ` +
          `marquee deployment set ${name} ${config[name]}`,
      )
  }
  if (wrong.length > 0) throw new BadSetting(wrong.join('\n'))
}

async function keepFirst(db: Db, name: Agreed, value: string): Promise<string> {
  await db.run(
    `insert into deployment (name, value, updated_at) values ($1, $2, now()) on conflict (name) do nothing`,
    [keyOf(name), value],
  )
  return (await agreedSetting(db, name))!
}

/** Null if no process has started yet. */
export async function agreedSetting(db: Db, name: Agreed): Promise<string | null> {
  const row = await db.row<{ value: string }>('select value from deployment where name = $1', [keyOf(name)])
  return row?.value ?? null
}

export async function changeAgreedSetting(db: Db, name: Agreed, value: string): Promise<void> {
  await db.run(
    `insert into deployment (name, value, updated_at) values ($1, $2, now())
     on conflict (name) do update set value = $2, updated_at = now()`,
    [keyOf(name), value],
  )
}

/** How many connections running services have, by the names that only they use. */
export async function runningConnections(db: Db): Promise<number> {
  const row = await db.row<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()
       and application_name in ('marquee', 'marquee jobs', 'marquee counting', 'marquee shares', 'marquee catalog')`,
  )
  return row!.n
}

function keyOf(name: Agreed): string {
  return name.toLowerCase()
}
