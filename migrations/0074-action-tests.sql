-- The last test action of an advertiser: it is counted nowhere.

create table action_test (
  cuid bigint primary key references customer,
  at timestamptz not null,
  name text not null,
  by_pixel boolean not null,
  -- Why it would not have been counted; null: it would have been.
  reason text
);
