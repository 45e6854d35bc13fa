-- Runs of models that think although they were told not to stand in rows of their own.
-- Shared runs are taken in again from their documents, which is all that these tables were made of.
DELETE FROM quiz_runs;
DELETE FROM quiz_pools;
DELETE FROM quiz_questions;
DELETE FROM quiz_question_days;
DELETE FROM quiz_days;
