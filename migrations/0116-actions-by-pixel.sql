-- Whether a pixel or a server reported it; null: before the two were counted apart.

alter table action add column by_pixel boolean;
