-- A passcode belongs to the place where it was requested: a request elsewhere neither voids it nor uses up its tries.
-- contracts

alter table passcode drop constraint passcode_pkey;
-- 'api': by an app, for its customer. 'console': by a browser at the sign-in page.
alter table passcode add channel text not null default 'api' check (channel in ('api', 'console'));
alter table passcode alter channel drop default;
-- Hash of the value that the browser got when it asked; empty for an app.
alter table passcode add request_hash bytea not null default '';
alter table passcode alter request_hash drop default;
alter table passcode add primary key (cuid, channel, request_hash);
