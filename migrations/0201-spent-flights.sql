-- Flights of one day may each spend a total of their own: which of them paid when a spent budget was told last (0: none
-- that has a total), and what was spent then.
alter table campaign_watch add column spent_fid bigint not null default 0, add column spent_by text;
