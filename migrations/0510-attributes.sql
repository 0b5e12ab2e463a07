-- What an application knows about its pages, shops and visitors, by key: what a request may say, and a persona target.
-- The id is of the common sequence.
create table attribute (
  attribute_id bigint primary key default nextval('ids'),
  app_id bigint not null references app,
  key text not null,
  label text not null,
  kind text not null check (kind in ('choice', 'words', 'number')),
  -- Of a choice: each value with its label, in the order of the app.
  choices jsonb not null default '[]',
  -- Only the app itself may target it, not its customers.
  app_only boolean not null default false,
  -- The public key of a site may send it.
  from_public boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (app_id, key)
);

-- Which values requests had, and when last: those that somebody may target. An empty value: the key at all.
create table attribute_seen (
  app_id bigint not null references app,
  key text not null,
  value text not null,
  seen_at timestamptz not null,
  primary key (app_id, key, value)
);
create index attribute_seen_age on attribute_seen (seen_at);
