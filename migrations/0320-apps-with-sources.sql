-- Apps that may manage sources, which until now only the operator could: an app that is alone on its deployment may.
alter table app add column may_sources boolean not null default false;
update app set may_sources = true
where revoked_at is null and not exists (
  select 1 from app other where other.revoked_at is null and other.app_id <> app.app_id
);
