-- Runs of models that think although they were told not to stand in rows of their own.
-- Shared runs are taken in again from their documents, which is all that these tables were made of.
DELETE FROM quiz_runs;
DELETE FROM quiz_pools;
DELETE FROM quiz_questions;
DELETE FROM quiz_question_days;
DELETE FROM quiz_days;
-- Lists of one prompt had to look at runs of all prompts, and lists of runs apart at those of all prompts and tools.
CREATE INDEX runs_by_prompt ON runs (state, prompt, started_at, run);
-- Few runs stand apart. Those that count are found by the indexes of all runs.
DROP INDEX runs_apart;
CREATE INDEX runs_apart ON runs (state, started_at, run) WHERE ranked = 0;
CREATE INDEX runs_apart_by_prompt ON runs (state, prompt, started_at, run) WHERE ranked = 0;
CREATE INDEX runs_apart_by_tool ON runs (state, tool, started_at, run) WHERE ranked = 0;
