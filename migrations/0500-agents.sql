-- Programs that a person lets act for them (agents). What one may do is a pair without a known token; `mid` names the
-- member it acts for, and no pair may do more than that person. A code is exchanged for the pair once; tokens stand for
-- the pair.
alter table credential add column mid bigint;

create table agent_code (
  code_hash bytea primary key,
  cuid bigint not null,
  mid bigint not null,
  name text not null,
  client_id text not null,
  redirect_uri text not null,
  challenge text not null,
  scope text not null,
  ceilings jsonb,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The pair that it was exchanged for.
  key text
);
create index agent_code_of_customer on agent_code (cuid);
create index agent_code_by_end on agent_code (expires_at);

-- `family` is in all refresh tokens of a pair, one after the other; only the last is valid.
create table agent_grant (
  key text primary key references credential on delete cascade,
  client_id text not null,
  family text not null,
  refresh_hash bytea not null,
  previous_hash bytea,
  rotated_at timestamptz not null,
  refresh_until timestamptz not null
);
create unique index agent_grant_of_family on agent_grant (family);
create index agent_grant_of_client on agent_grant (md5(client_id));

create table agent_token (
  token_hash bytea primary key,
  key text not null references credential on delete cascade,
  expires_at timestamptz not null
);
create index agent_token_of_pair on agent_token (key);
create index agent_token_by_end on agent_token (expires_at);

-- What strangers write is in no statistics (0430).
alter table agent_code alter column name set statistics 0;
alter table agent_code alter column client_id set statistics 0;
alter table agent_code alter column redirect_uri set statistics 0;
alter table agent_grant alter column client_id set statistics 0;
