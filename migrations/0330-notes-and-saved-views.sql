-- What people wrote about a day, of the whole customer or (`cid`) of one campaign, to read beside its figures.
-- Its id is of the common sequence.
create table note (
  nid bigint primary key default nextval('ids'),
  cuid bigint not null references customer,
  cid bigint references campaign,
  -- Of the customer's calendar.
  day date not null,
  text text not null,
  -- Who wrote it first, as in `audit`.
  actor text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index note_of_customer on note (cuid, nid);

-- What the statistics page showed, under a name: of everything, or (`cid`) of one campaign. It can be mailed to members.
-- Its id is of the common sequence.
create table saved_view (
  vid bigint primary key default nextval('ids'),
  cuid bigint not null references customer,
  cid bigint references campaign,
  name text not null,
  -- Period, figure, interval, dimension and filters; amounts in micros.
  shown jsonb not null,
  every text not null default 'off' check (every in ('off', 'daily', 'weekly', 'monthly')),
  -- Members, by their ids.
  mail_to bigint[] not null default '{}',
  -- When it is mailed next; null: it is not.
  mail_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((every = 'off') = (mail_at is null))
);
create index saved_view_of_customer on saved_view (cuid, vid);
create index saved_view_due on saved_view (mail_at) where mail_at is not null;
