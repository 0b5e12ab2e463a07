-- outside of a transaction
-- Each statement locks one table, for a moment, and does nothing if it was done before.

-- The hours of the week in which a campaign delivers, by the clock of its customer: one number per day, Monday first,
-- whose bit 0 is the hour from midnight on. Null: always.
alter table campaign add column if not exists hours integer[] check (cardinality(hours) = 7);

-- Price per click. What a click of the campaign costs; null: impressions are paid for.
alter table campaign add column if not exists cpc_micros bigint;

-- Whether campaigns that are paid by click may bid on an exchange, where impressions must be paid.
alter table source add column if not exists allows_cpc boolean not null default false;

-- How often ads were clicked, by the day they were served, source and size: made hour by hour from the events, while any
-- campaign is paid by click.
create table if not exists click_rate (
  day date not null,
  source_id integer not null,
  width integer not null,
  height integer not null,
  imps bigint not null,
  clicks bigint not null,
  primary key (day, source_id, width, height)
);

-- The same of the last 28 days for each banner of a campaign that is paid by click, made from the rollups.
create table if not exists banner_rate (
  bid bigint primary key,
  imps bigint not null,
  clicks bigint not null,
  updated_at timestamptz not null
);

-- The last price per click of a campaign whose impressions are paid for now: what a later one is compared with. Null: it
-- never had one.
alter table campaign add column if not exists cpc_aside_micros bigint;

-- The cap that a count was last checked against. A statement that counts finds it in the row that it is about to write:
-- searching its own rows for it, for each of them, took the square of their number.
alter table cap_day add column if not exists freq integer not null default 0;

-- Flights of one day may each spend a total of their own: which of them paid when a spent budget was told last (0: none
-- that has a total), and what was spent then.
alter table campaign_watch add column if not exists spent_fid bigint not null default 0, add column if not exists spent_by text;
