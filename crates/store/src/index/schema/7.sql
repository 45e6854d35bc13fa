-- Lists of one prompt had to look at runs of all prompts, and lists of runs apart at those of all prompts and tools.
CREATE INDEX runs_by_prompt ON runs (state, prompt, started_at, run);
-- Few runs stand apart. Those that count are found by the indexes of all runs.
DROP INDEX runs_apart;
CREATE INDEX runs_apart ON runs (state, started_at, run) WHERE ranked = 0;
CREATE INDEX runs_apart_by_prompt ON runs (state, prompt, started_at, run) WHERE ranked = 0;
CREATE INDEX runs_apart_by_tool ON runs (state, tool, started_at, run) WHERE ranked = 0;
