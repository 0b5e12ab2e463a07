-- Changes that wait for somebody who may decide them: the call as it was sent, and what it would change. `bound` says of
-- which versions; if one of them has changed since, it cannot be applied. Its id is of the common sequence.
create table proposal (
  proposal_id bigint primary key default nextval('ids'),
  cuid bigint not null references customer,
  status text not null default 'pending' check (status in ('pending', 'approved', 'declined', 'expired')),
  -- The endpoint by its id, and what it was called with.
  operation text not null,
  params jsonb not null,
  body jsonb,
  -- The campaigns that it touches, of those that are there.
  cids bigint[] not null,
  bound jsonb not null,
  before jsonb,
  after jsonb,
  costs_micros bigint not null,
  actor text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  -- The ids of what it has created.
  result jsonb,
  -- Why it was declined, in the words of who did. Null: they said nothing.
  reason text
);
create index proposal_of_customer on proposal (cuid, proposal_id);
create index proposal_undecided on proposal (cuid) where status = 'pending';
create index proposal_pending on proposal (expires_at) where status = 'pending';
create index proposal_settled on proposal (decided_at) where decided_at is not null;
