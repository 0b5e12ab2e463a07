-- Webhooks: where an app wants to be told what happened, what it is told, and how that went.

create table webhook (
  wid bigint primary key default nextval('ids'),
  app_id bigint not null references app,
  url text not null,
  -- Empty: every event.
  events text[] not null,
  enabled boolean not null,
  description text,
  -- In plain, because each sending is signed with it: docs/decisions/0011-webhook-secrets.md.
  secret bytea not null,
  -- The one before, which signs beside it for a while.
  old_secret bytea,
  old_secret_until timestamptz,
  version bigint not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((old_secret is null) = (old_secret_until is null))
);
create index webhook_of_app on webhook (app_id, wid);

-- One event for one webhook: written in the transaction of what happened, it is the queue and the log at once.
create table webhook_delivery (
  did bigint primary key default nextval('ids'),
  wid bigint not null references webhook on delete cascade,
  -- The same for every webhook that is told, and for every attempt.
  event_id text not null,
  type text not null,
  -- As it is sent, byte for byte.
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  -- When to send it next. While it is being sent: when it counts as lost.
  next_at timestamptz,
  -- Failed attempts since it was last begun; they say how long to wait.
  tries integer not null default 0,
  -- Counts who took it to send, so that an outcome that was overtaken changes nothing.
  claim integer not null default 0,
  -- [{ "at": Unix seconds, "status": integer or null, "error": text or null }], the latest last.
  attempts jsonb not null default '[]',
  created_at timestamptz not null,
  check ((state = 'pending') = (next_at is not null))
);
create index webhook_delivery_log on webhook_delivery (wid, did);
create index webhook_delivery_due on webhook_delivery (next_at, wid) where state = 'pending';
create index webhook_delivery_age on webhook_delivery (created_at);

-- What a campaign was last seen doing, so that its start, its end and a spent budget are told once each.
create table campaign_watch (
  cid bigint primary key,
  phase text not null default 'ahead' check (phase in ('ahead', 'begun', 'over')),
  -- When to look at it next; every change of the campaign or its flights makes it due at once.
  due_at timestamptz not null default '-infinity',
  -- The last day (yyyymmdd, deployment's zone) whose budget was told to be spent.
  spent_day integer
);
create index campaign_watch_due on campaign_watch (due_at);

-- What began or ended before there were webhooks is no news.
insert into campaign_watch (cid, phase, due_at)
select cid,
  case when end_at <= now() then 'over' when start_at <= now() and enabled then 'begun' else 'ahead' end,
  case when end_at <= now() then timestamptz 'infinity' else timestamptz '-infinity' end
from campaign;
