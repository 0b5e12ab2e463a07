-- What the person is shown who wants to know where they are signed in: the name of the browser, never more of what it
-- says about itself; and when it was last used. Null: it began before this version.
alter table console_session add column browser text, add column used_at timestamptz;
