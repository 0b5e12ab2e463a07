-- Whether banners wait for a person after the checks of a program: by app, or by customer (null: as its app). One table
-- after the other: a process of the previous version may hold them in another order.
alter table app add column review text not null default 'automatic' check (review in ('automatic', 'manual'));
