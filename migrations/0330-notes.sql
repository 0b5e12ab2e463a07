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
