-- Reports and alerts by mail: what each customer wants, and what is to be sent.

-- A customer without a row has the defaults of a new row.
create table mail_choice (
  cuid bigint primary key references customer,
  report text not null default 'off' check (report in ('off', 'daily', 'weekly')),
  banner_rejected boolean not null default true,
  budget_spent boolean not null default true,
  stopped boolean not null default true,
  -- When the next report is due; null: none is wanted.
  report_at timestamptz,
  check ((report = 'off') = (report_at is null))
);
create index mail_choice_due on mail_choice (report_at) where report_at is not null;

-- One piece of news for one customer. News of one kind that wait at the same time go into one mail.
create table mail (
  mail_id bigint generated always as identity primary key,
  cuid bigint not null references customer,
  kind text not null check (kind in ('report', 'bannerRejected', 'budgetSpent', 'stopped')),
  -- What it is about, such as the period of a report: reported once, whoever notices it and however often.
  about text not null,
  facts jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'dropped', 'failed')),
  -- The first mail_id of those that go into one mail; null: in none yet.
  batch bigint,
  -- Who is sending it, and until when that is valid.
  lease uuid,
  leased_until timestamptz,
  tries integer not null default 0,
  next_at timestamptz not null,
  created_at timestamptz not null,
  unique (cuid, kind, about)
);
create index mail_due on mail (next_at) where state = 'waiting';
create index mail_waiting on mail (cuid, kind, mail_id) where state = 'waiting';
create index mail_leased on mail (lease) where lease is not null;
create index mail_age on mail (created_at);

-- How many mails were sent to a customer on a day (yyyymmdd, deployment's zone).
create table mail_day (
  cuid bigint not null references customer,
  day integer not null,
  mails integer not null,
  primary key (cuid, day)
);
