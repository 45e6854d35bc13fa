-- Runs that answered the same questions had to be found among all runs.
CREATE INDEX quiz_runs_by_selection ON quiz_runs (state, selection, day, run);

-- Of longer addresses the beginning is kept, because they are part of a key: as newer runs of the same app are.
UPDATE runs SET url = substr(url, 1, 2000) WHERE length(url) > 2000;
