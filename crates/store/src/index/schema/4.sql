-- Evaluations of the vibe track. `document` is the evaluation without its reasons and evidence: what boards and studies read.
-- `reviews` is what people said of it, from the log of the run.
CREATE TABLE vibe_runs (
    run TEXT NOT NULL PRIMARY KEY,
    state TEXT NOT NULL,
    state_reason TEXT,
    started_at TEXT NOT NULL,
    task TEXT NOT NULL,
    model TEXT NOT NULL,
    evaluator TEXT NOT NULL,
    split TEXT NOT NULL,
    passed BIGINT NOT NULL,
    workflows BIGINT NOT NULL,
    document TEXT NOT NULL,
    reviews TEXT NOT NULL
);
CREATE INDEX vibe_runs_by_time ON vibe_runs (state, started_at, run);
CREATE INDEX vibe_runs_by_evaluator ON vibe_runs (state, evaluator, started_at, run);
CREATE INDEX vibe_runs_by_task ON vibe_runs (state, task, started_at, run);
CREATE INDEX vibe_runs_by_model ON vibe_runs (state, model, started_at, run);
