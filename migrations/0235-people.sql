-- contracts: a passcode may belong to a member.

-- The session of a person who signed in by email: of whom (as addresses are compared), within the app. Its `super_key`
-- is a word that no pair has, so that a process of the version before, which knows no persons, takes it for ended.
alter table console_session add column person text;
-- When the person of the session used a passkey in it.
alter table console_session add column proven_at timestamptz;
-- What the person is shown who wants to know where they are signed in: the name of the browser, never more of what it
-- says about itself; and when it was last used. Null: it began before this version.
alter table console_session add column browser text, add column used_at timestamptz;

-- A passcode is held by a customer (its own email), or by a member.
alter table passcode drop constraint passcode_cuid_fkey;

-- The people who work for a customer. Its own email is its first owner. A member who was removed stays as a name for
-- what they did.
create table member (
  mid bigint primary key default nextval('ids'),
  cuid bigint not null references customer,
  email text not null,
  -- The form in which addresses are compared.
  email_key text not null,
  name text,
  role text not null check (role in ('viewer', 'editor', 'manager', 'owner')),
  -- As those of pairs: amounts in micros. Null: none.
  ceilings jsonb,
  -- Of the link in the invitation only a hash is kept; null: used, or never sent.
  invitation_hash bytea,
  invited_until timestamptz,
  created_at timestamptz not null,
  -- When they first signed in.
  joined_at timestamptz,
  removed_at timestamptz
);
create unique index member_of_customer on member (cuid, email_key) where removed_at is null;
create index member_by_email on member (email_key);
create unique index member_invitation on member (invitation_hash) where invitation_hash is not null;
-- For erasure.
create index member_with_removed on member (cuid);

insert into member (cuid, email, email_key, name, role, created_at)
select cuid, email, email_key, name, 'owner', created_at from customer where erased_at is null;

-- The staff of an app: people who sign in to its console by email. One who was removed stays as a name for what they did.
create table staff (
  sid bigint primary key default nextval('ids'),
  app_id bigint not null references app,
  email text not null,
  -- The form in which addresses are compared.
  email_key text not null,
  name text,
  role text not null check (role in ('support', 'finance', 'admin')),
  created_at timestamptz not null,
  -- When they first signed in.
  joined_at timestamptz,
  removed_at timestamptz
);
create unique index staff_of_app on staff (app_id, email_key) where removed_at is null;

-- Who changed what belongs to an app or to the deployment, not to a customer: its staff, and the sources.
create table app_change (
  change_id bigint generated always as identity primary key,
  noun text not null check (noun in ('staff', 'source')),
  id bigint not null,
  -- Of whoever did it; null: the command line.
  app_id bigint references app,
  at timestamptz not null,
  action text not null check (action in ('add', 'edit', 'remove', 'reset_passkeys', 'renew', 'check', 'revoke')),
  -- As in `audit`.
  actor text not null,
  before jsonb,
  after jsonb
);
create index app_change_of_noun on app_change (noun, change_id);
create index app_change_age on app_change (at);

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
