-- Price per click. What a click of the campaign costs; null: impressions are paid for.
alter table campaign add column cpc_micros bigint;

-- Whether campaigns that are paid by click may bid on an exchange, where impressions must be paid.
alter table source add column allows_cpc boolean not null default false;

-- How often ads were clicked, by the day they were served, source and size: made hour by hour from the events, while any
-- campaign is paid by click.
create table click_rate (
  day date not null,
  source_id integer not null,
  width integer not null,
  height integer not null,
  imps bigint not null,
  clicks bigint not null,
  primary key (day, source_id, width, height)
);

-- The same of the last 28 days for each banner of a campaign that is paid by click, made from the rollups.
create table banner_rate (
  bid bigint primary key,
  imps bigint not null,
  clicks bigint not null,
  updated_at timestamptz not null
);
