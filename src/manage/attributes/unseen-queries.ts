// Of what a persona wants by attributes: keys that are not declared any more, and values that no request had lately. An
// expression for the statements of other rooms, as a list of `{ key, value }` or `{ key, gone }`; null: none. By
// `offset 0`, rows are looked up one by one.

import { UNSEEN_DAYS } from './contract.ts'

/** `appId`, `attributes` and `unseen`: columns of the app and the persona; `now`: the time. */
export function unseenNow(appId: string, attributes: string, unseen: string, now: string): string {
  return `case when ${attributes} <> '{}' then (
      select jsonb_agg(one) from (
        select jsonb_build_object('key', wanted, 'gone', true) as one from jsonb_object_keys(${attributes}) wanted
        where not exists (select from attribute a where a.app_id = ${appId} and a.key = wanted offset 0)
        union all
        select one from jsonb_array_elements(${unseen}) one
        where exists (select from attribute a where a.app_id = ${appId} and a.key = one ->> 'key' offset 0)
          and not exists (select from attribute_seen s where s.app_id = ${appId} and s.key = one ->> 'key'
            and s.value = one ->> 'value' and s.seen_at >= ${now}::timestamptz - interval '${UNSEEN_DAYS} days' offset 0)
      ) found) end`
}
