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
