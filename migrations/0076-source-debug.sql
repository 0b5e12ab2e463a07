-- Whether a source may ask why there was no bid: see src/delivery/openrtb/no-bid.ts.
alter table source add column debug boolean not null default false;
