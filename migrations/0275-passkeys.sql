-- Passkeys: the second factor of people who sign in by email. Each belongs to one person: an address within an app.
create table passkey (
  passkey_id bigint primary key default nextval('ids'),
  app_id bigint not null references app,
  -- The address, in the form in which addresses are compared.
  person text not null,
  credential_id bytea not null,
  public_key bytea not null,
  -- How often it was used, as its authenticator counts; 0 if that does not count.
  counter bigint not null,
  -- How browsers reach it: `internal`, `usb`, ...
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  used_at timestamptz
);
create unique index passkey_by_credential on passkey (credential_id);
create index passkey_of_person on passkey (app_id, person);

-- What an authenticator has to sign: one for each session, used once.
create table passkey_challenge (
  session_id bigint primary key references console_session on delete cascade,
  purpose text not null check (purpose in ('prove', 'register')),
  challenge bytea not null,
  expires_at timestamptz not null
);

-- When the person of the session used a passkey in it.
alter table console_session add column proven_at timestamptz;
