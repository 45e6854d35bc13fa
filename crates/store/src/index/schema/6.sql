-- On how many days a question was answered: by runs that count, and by repeats of them. No day may give more than half of a row.
-- Nobody counted that before. Shared runs are taken in again from their documents, which is all that these tables were made of.
DELETE FROM quiz_runs;
DELETE FROM quiz_pools;
DELETE FROM quiz_questions;
DELETE FROM quiz_question_days;
DELETE FROM quiz_days;
ALTER TABLE quiz_question_days ADD COLUMN supports BIGINT NOT NULL DEFAULT 0;
ALTER TABLE quiz_questions ADD COLUMN support_days BIGINT NOT NULL DEFAULT 0;
