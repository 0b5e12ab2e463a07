-- What was deleted and can be restored, found without reading what is alive.

create index campaign_deleted on campaign (cid) where deleted_at is not null;
create index flight_deleted on flight (fid) where deleted_at is not null;
create index persona_deleted on persona (pid) where deleted_at is not null;
create index banner_deleted on banner (bid) where deleted_at is not null;
