-- What kind of work a job is: scoring an app, or showing one to somebody who reviews it. Every job so far was to score.
ALTER TABLE jobs ADD COLUMN kind TEXT NOT NULL DEFAULT 'score';
-- Where an app that is being shown can be reached. It is nobody's business but the reviewer's.
ALTER TABLE jobs ADD COLUMN place TEXT;
-- What a reviewer said of the item everybody begins with.
ALTER TABLE tokens ADD COLUMN calibration TEXT;
