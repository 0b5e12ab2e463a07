-- Who is calling: apps, key/token pairs, customers, passcodes, sign-in tickets; and where ad requests come from.

-- One sequence for every id that the interface shows, so that an id never means two things.
create sequence ids as bigint;

create table app (
  app_id bigint primary key default nextval('ids'),
  name text not null unique,
  platform_url text,
  may_passcode boolean not null default false,
  may_nopasscode boolean not null default false,
  created_at timestamptz not null,
  revoked_at timestamptz
);

create table customer (
  cuid bigint primary key default nextval('ids'),
  app_id bigint not null references app,
  company text not null,
  email text not null,
  -- The form in which addresses are compared.
  email_key text not null,
  name text,
  address text,
  country text,
  city text,
  zip text,
  state text,
  phone text,
  website text,
  api_access boolean not null default true,
  version bigint not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create unique index customer_email on customer (app_id, email_key) where deleted_at is null;
create index customer_of_app on customer (app_id, cuid) where deleted_at is null;

-- The key is a name; of the token only a hash is kept.
create table credential (
  key text primary key,
  token_hash bytea not null,
  app_id bigint not null references app,
  -- Null: the app-level super pair.
  cuid bigint references customer,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index credential_of_customer on credential (cuid, created_at) where cuid is not null;
create index credential_of_app on credential (app_id, created_at) where cuid is null;

create table passcode (
  cuid bigint primary key references customer,
  code_hash bytea not null,
  salt bytea not null,
  tries integer not null default 0,
  expires_at timestamptz not null
);

-- When mails went to an address, within the last hour.
create table mail_allowance (
  address text primary key,
  sent timestamptz[] not null
);

create table sso_ticket (
  ticket_hash bytea primary key,
  app_id bigint not null references app,
  cuid bigint not null references customer,
  expires_at timestamptz not null
);
create index sso_ticket_expiry on sso_ticket (expires_at);

create table idempotency (
  owner text not null,
  key text not null,
  request_hash bytea not null,
  answer bytea,
  created_at timestamptz not null default now(),
  primary key (owner, key)
);
create index idempotency_age on idempotency (created_at);

create table source (
  source_id bigint primary key default nextval('ids'),
  kind text not null check (kind in ('exchange', 'site')),
  name text not null unique,
  key text not null unique,
  -- Of a site: the domain its requests come from.
  domain text,
  -- Of an exchange: which call counts the impression.
  bills_on text not null default 'notice' check (bills_on in ('notice', 'pixel')),
  created_at timestamptz not null,
  revoked_at timestamptz
);
