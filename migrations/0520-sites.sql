-- outside of a transaction
-- Each statement locks one table, for a moment, and does nothing if it was done before.

-- Where ads of a customer and of a campaign may be shown, and where never: `{ "only": [...], "not": [...] }`, each entry
-- a domain, `app:<bundle>`, `source:<id>` or `list:<key>`. Null: everywhere.
alter table customer add column if not exists sites jsonb;
alter table campaign add column if not exists sites jsonb;
-- The lists that they name.
create index concurrently if not exists customer_site_lists on customer
  using gin (jsonb_path_query_array(sites, '$.*[*] ? (@ starts with "list:")')) where sites is not null;
create index concurrently if not exists campaign_site_lists on campaign
  using gin (jsonb_path_query_array(sites, '$.*[*] ? (@ starts with "list:")')) where sites is not null;

-- Entries under a name, for all customers of an app. Its id is of the common sequence.
create table if not exists site_list (
  list_id bigint primary key default nextval('ids'),
  app_id bigint not null references app,
  key text not null,
  name text not null,
  -- As in `sites`, without lists.
  entries jsonb not null,
  -- Who changed it last, as in `audit`.
  actor text not null check (is_actor(actor)),
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (app_id, key)
);

-- What a source asks of ads: the least price of a thousand impressions, for sizes of their own ({ "300x250": micros }),
-- and what it does not show.
alter table source
  add column if not exists floor_micros bigint,
  add column if not exists size_floors jsonb,
  add column if not exists refuses jsonb;
