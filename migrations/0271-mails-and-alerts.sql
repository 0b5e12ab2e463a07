-- contracts: mails have more kinds.
alter table mail drop constraint mail_kind_check;
alter table mail add constraint mail_kind_check
  check (kind in ('report', 'bannerRejected', 'budgetSpent', 'daySpent', 'balance', 'proposals', 'stopped', 'budgetRaised', 'access',
    'savedView', 'decisions'))
  not valid;

-- Alerts: a budget that was raised a lot, a new member, a new key, a key that is used from a new network.
alter table mail_choice
  -- The budget of a day; `budget_spent` is about totals.
  add column day_spent boolean not null default false,
  -- Told from this many times on; null: never.
  add column budget_raised double precision default 3,
  add column access boolean not null default true,
  add column balance boolean not null default true,
  add column proposals boolean not null default true,
  -- Whether people are told what became of their proposals.
  add column decisions boolean not null default true;

-- Some mails go to other members, too, each by themselves. Null: to the customer's own email.
alter table mail add column mid bigint;
-- The kinds that a member has unsubscribed from.
alter table member add column mails_off text[] not null default '{}';
-- As `mail_day`, for members.
create table member_mail_day (
  mid bigint not null references member on delete cascade,
  day integer not null,
  mails integer not null,
  primary key (mid, day)
);
create index member_mail_day_age on member_mail_day (day);

-- Where a pair was used from: a keyed hash of the network, never an address. Some for each pair.
create table credential_network (
  key text not null references credential on delete cascade,
  network bytea not null,
  seen_at timestamptz not null,
  primary key (key, network)
);
