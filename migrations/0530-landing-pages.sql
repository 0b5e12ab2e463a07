-- outside of a transaction
-- Each statement locks one table, for a moment, and does nothing if it was done before.

-- What is added to the address of a click, as a template; null: what is set above, or nothing.
alter table customer add column if not exists click_parameters text;
alter table campaign add column if not exists click_parameters text;
alter table banner add column if not exists click_parameters text;

-- The addresses that banners lead to, once for each customer, and what the last daily look at each found.
create table if not exists landing_page (
  cuid bigint not null references customer (cuid) on delete cascade,
  -- A hash of the click URL and of the parameters that are added to it.
  page_key text not null,
  -- One of the banners that lead there.
  bid bigint not null,
  seen_at timestamptz not null,
  next_at timestamptz not null,
  -- Null: not yet.
  checked_at timestamptz,
  -- How often in a row it failed; what is away for a moment is not reported.
  failures integer not null default 0,
  findings jsonb not null default '[]',
  since timestamptz,
  primary key (cuid, page_key)
);
create index concurrently if not exists landing_page_due on landing_page (next_at);
