-- Work that is too large for one call: copies and orders of very many objects. Done in one transaction by a worker.

create table job (
  job_id bigint primary key default nextval('ids'),
  cuid bigint not null references customer,
  kind text not null,
  -- Who has asked for it, as the history names them.
  actor text not null,
  -- What the work needs; gone when the job has ended.
  request jsonb,
  total integer not null,
  done integer not null default 0,
  attempts integer not null default 0,
  result jsonb,
  error jsonb,
  created_at timestamptz not null,
  ended_at timestamptz
);
create index job_of_customer on job (cuid, job_id);
create index job_ended on job (ended_at) where ended_at is not null;
