-- Runs that answered the same questions had to be found among all runs.
CREATE INDEX quiz_runs_by_selection ON quiz_runs (state, selection, day, run);
