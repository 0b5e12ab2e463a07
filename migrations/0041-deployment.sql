-- What the running service says about itself, for commands that run beside it with other settings.
create table deployment (
  name text primary key,
  value text not null,
  updated_at timestamptz not null
);
