-- Console sessions, and the look of an app in the console.

-- Of the cookie only a hash is kept.
create table console_session (
  session_id bigint generated always as identity primary key,
  token_hash bytea not null unique,
  app_id bigint not null references app,
  -- Of a customer that signed in; null: staff of the app.
  cuid bigint references customer,
  -- Of staff: the super pair they signed in with; the session ends with it.
  super_key text,
  -- Of staff: the customer they opened.
  opened_cuid bigint references customer,
  created_at timestamptz not null,
  idle_until timestamptz not null,
  ends_at timestamptz not null,
  check ((cuid is null) <> (super_key is null)),
  check (opened_cuid is null or cuid is null)
);
create index console_session_end on console_session (idle_until);

alter table app
  add column brand_title text,
  add column brand_color text check (brand_color ~ '^#[0-9a-f]{6}$'),
  -- A PNG, and the SHA-256 of it in hex, which names it.
  add column brand_logo bytea,
  add column brand_logo_hash text,
  add check ((brand_logo is null) = (brand_logo_hash is null));
create index app_logo on app (brand_logo_hash) where brand_logo_hash is not null;
