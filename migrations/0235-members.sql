-- The people who work for a customer. Its own email is its first owner. A member who was removed stays as a name for
-- what they did.
-- contracts
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

-- The session of a person who signed in by email: of whom (as addresses are compared), within the app. Its `super_key`
-- is a word that no pair has, so that a process of the version before, which knows no persons, takes it for ended.
alter table console_session add column person text;

-- A passcode is held by a customer (its own email), or by a member.
alter table passcode drop constraint passcode_cuid_fkey;
